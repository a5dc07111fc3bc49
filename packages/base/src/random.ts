// The randomness port and a seeded implementation. The real one (operating system entropy) is in `platform/`.

/** Source of randomness. Not for secrets unless the implementation says so (the real one is). */
export interface Random {
  /** Uniform in [0, 1). */
  float(): number;
  /** Uniform integer in [0, bound); bound is 1 … 2^32. */
  int(bound: number): number;
  /** `length` random bytes, owned by the caller. */
  bytes(length: number): Uint8Array;
  /** A version 4 UUID in lower case. */
  uuid(): string;
}

/**
 * Creates a deterministic {@link Random} (sfc32): the same seed gives the same sequence on every machine.
 * Never use it for secrets.
 */
export function createSeededRandom(seed: number): Random {
  let a = 0x9e3779b9 ^ seed;
  let b = 0x243f6a88;
  let c = 0xb7e15162;
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 15; i++) next();
  return randomFrom(next);
}

/** Builds a {@link Random} from a source of uniform 32-bit unsigned integers. */
export function randomFrom(uint32: () => number): Random {
  const bytes = (length: number): Uint8Array => {
    const out = new Uint8Array(length);
    for (let i = 0; i < length; i += 4) {
      const word = uint32();
      for (let j = 0; j < 4 && i + j < length; j++) out[i + j] = (word >>> (8 * j)) & 0xff;
    }
    return out;
  };
  return {
    float: () => uint32() / 0x1_0000_0000,
    int: (bound) => Math.floor((uint32() / 0x1_0000_0000) * bound),
    bytes,
    uuid: () => formatUuid(bytes(16)),
  };
}

function formatUuid(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
