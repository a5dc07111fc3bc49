// Reads the subject of a PKCS#10 certificate request (RFC 2986): just enough ASN.1 to learn who is asked for. Signatures and
// extensions are the signer's business.

export interface RequestSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const commonNameOid = '550403';
const organizationOid = '55040a';
const sequence = 0x30;
const objectIdentifier = 0x06;

/** The subject of a base64-encoded PEM request; undefined when it can't be read. */
export function readRequestSubject(request: string | undefined): RequestSubject | undefined {
  const pem = Buffer.from(request ?? '', 'base64').toString();
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem)?.[1];
  if (body === undefined) return undefined;
  const [outer] = readElements(Buffer.from(body, 'base64'));
  const [info] = outer === undefined ? [] : readElements(outer.content);
  // CertificationRequestInfo: version, subject, key, attributes.
  const subject = info === undefined ? undefined : readElements(info.content)[1];
  if (subject?.tag !== sequence) return undefined;
  const organizations: string[] = [];
  let commonName = '';
  for (const set of readElements(subject.content)) {
    for (const attribute of readElements(set.content)) {
      const [type, value] = readElements(attribute.content);
      if (type?.tag !== objectIdentifier || value === undefined) continue;
      const oid = Buffer.from(type.content).toString('hex');
      const text = Buffer.from(value.content).toString();
      if (oid === commonNameOid) commonName = text;
      else if (oid === organizationOid) organizations.push(text);
    }
  }
  return { commonName, organizations };
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The elements that follow one another in `bytes`; a broken end is left out. */
function readElements(bytes: Uint8Array): readonly Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? 0;
    at += 2;
    if (length >= 0x80) {
      const octets = length & 0x7f;
      if (octets === 0 || octets > 4) return elements;
      length = 0;
      for (let i = 0; i < octets; i++) length = length * 256 + (bytes[at++] ?? 0);
    }
    if (at + length > bytes.length) return elements;
    elements.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return elements;
}
