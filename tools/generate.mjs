// `npm run generate`: reads the Go types (needs Go) and the OpenAPI facts and writes packages/api/src/generated, and the
// shape of pod templates for the controllers' hashes.
// `npm run generate -- --verify`: only checks, without Go, that inputs and outputs still belong together.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { computeDigest, verifyDigest } from './schema-generator/src/digest.ts';
import { mergeOpenApi } from './schema-generator/src/open-api-facts.ts';
import { buildResourcesFile } from './schema-generator/src/resources-file.ts';
import { buildSchemaFile } from './schema-generator/src/schema-file.ts';
import { buildTypeFiles } from './schema-generator/src/type-files.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const generator = join(root, 'tools/schema-generator');
const target = join(root, 'packages/api/src/generated');

if (process.argv.includes('--verify')) verify();
else generate();

function verify() {
  const changed = verifyDigest(root);
  if (changed.length === 0) return;
  console.error(
    `Generated files and their inputs differ from DIGEST; run \`npm run generate\`:\n  ${changed.join('\n  ')}`,
  );
  process.exitCode = 1;
}

function generate() {
  const go = JSON.parse(
    execFileSync('go', ['run', '.'], {
      cwd: generator,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const openApi = mergeOpenApi(readGzipped('openapi-v2.json.gz'), readGzipped('openapi-v3.json.gz'));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'types'), { recursive: true });
  writeFileSync(join(target, 'schema.json'), buildSchemaFile(go, openApi));
  writeFileSync(
    join(target, 'resources.json'),
    buildResourcesFile(readJson('discovery.json'), readJson('storage.json'), go),
  );
  for (const [name, text] of buildTypeFiles(go, openApi)) writeFileSync(join(target, 'types', name), text);
  writeFileSync(join(root, 'packages/controllers/src/shared/generated/pod-template-types.json'), podTemplateTypes());
  writeFileSync(join(target, 'DIGEST'), computeDigest(root));
}

/** The Go shape of pod templates, a type a line. */
function podTemplateTypes() {
  const text = execFileSync('go', ['run', './podtemplate'], {
    cwd: generator,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text.replaceAll('],"v1', '],\n"v1');
}

function readJson(name) {
  return JSON.parse(readFileSync(join(generator, 'inputs', name), 'utf8'));
}

function readGzipped(name) {
  return JSON.parse(gunzipSync(readFileSync(join(generator, 'inputs', name))).toString('utf8'));
}
