// The subpath `@homeostat/machinery/yaml`: reading YAML. Apart from the package's main entry because the parser it
// stands on takes longer to load than a request that needs it may wait for at start-up: import it when needed.

export { decodeYaml, decodeYamlDocuments, type DecodeYamlOptions } from './codec/yaml/decode-yaml.ts';
