// Reader of the lists of winnable deals that `thoughtful list --format binary` writes.
//
//   node winnable_list.mjs FILE SEED...       prints: SEED yes|no|unknown GRADE
//   node winnable_list.mjs --digest FILE      checks the file, and sums up all its verdicts
//
// In a browser:
//   import { WinnableList } from "./winnable_list.mjs";
//   const list = new WinnableList(await (await fetch("won.bin")).arrayBuffer());
//   list.verdict(40017);  // ["yes", 4]
//
// Seeds are numbers or BigInts. The format is specified in docs/lists.md. Public domain (CC0).

const MAGIC = [0x89, 0x54, 0x53, 0x4c, 0x0d, 0x0a, 0x1a, 0x0a];
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let code = byte;
  for (let bit = 0; bit < 8; bit++) code = code & 1 ? (code >>> 1) ^ 0xedb88320 : code >>> 1;
  return code;
});

function crc32(bytes, code = 0) {
  code = ~code;
  for (let at = 0; at < bytes.length; at++) code = TABLE[(code ^ bytes[at]) & 255] ^ (code >>> 8);
  return ~code >>> 0;
}

export class WinnableList {
  // Takes the file as an ArrayBuffer; throws an Error if it is no list, or damaged.
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer);
    const view = new DataView(buffer);
    if (this.bytes.length < 40 || MAGIC.some((byte, at) => this.bytes[at] !== byte))
      throw new Error("not a list of winnable deals");
    const version = view.getUint16(8, true);
    if (version !== 1) throw new Error(`version ${version} is not known, expected 1`);
    const length = view.getUint32(12, true);
    this.first = view.getBigUint64(16, true);
    this.seeds = Number(view.getBigUint64(24, true));
    this.block = view.getUint32(32, true);
    this.data = 40 + length;
    const facts = this.bytes.subarray(40, this.data);
    if (crc32(facts, crc32(this.bytes.subarray(0, 36))) !== view.getUint32(36, true) || !this.block)
      throw new Error("the header is damaged");
    this.blocks = Math.ceil(this.seeds / this.block);
    const [start, size] = this.place(this.blocks - 1);
    if (this.bytes.length !== start + size) throw new Error("the file is truncated or too long");
    this.facts = JSON.parse(new TextDecoder().decode(facts));
  }

  seedsIn(block) {
    return Math.min(this.block, this.seeds - block * this.block);
  }
  // Where a block begins, and its length.
  place(block) {
    const seeds = this.seedsIn(block);
    const start = this.data + block * ((2 * this.block) / 8 + this.block + 4);
    return [start, 2 * Math.ceil(seeds / 8) + seeds + 4];
  }

  // ["yes", "no" or "unknown", grade] of a seed.
  verdict(seed) {
    const at = Number(BigInt(seed) - this.first);
    if (!(at >= 0 && at < this.seeds)) throw new Error(`seed ${seed} is not in the list`);
    const [block, inside] = [Math.floor(at / this.block), at % this.block];
    const [start] = this.place(block);
    const bits = Math.ceil(this.seedsIn(block) / 8);
    const listed = (this.bytes[start + (inside >> 3)] >> (inside & 7)) & 1;
    const undecided = (this.bytes[start + bits + (inside >> 3)] >> (inside & 7)) & 1;
    return [listed ? "yes" : undecided ? "unknown" : "no", this.bytes[start + 2 * bits + inside]];
  }

  // CRC-32 of the lines of all seeds; throws an Error if a block is damaged.
  digest() {
    const view = new DataView(this.bytes.buffer);
    const encoder = new TextEncoder();
    let [code, seed] = [0, this.first];
    for (let block = 0; block < this.blocks; block++) {
      const [start, size] = this.place(block);
      if (crc32(this.bytes.subarray(start, start + size - 4)) !== view.getUint32(start + size - 4, true))
        throw new Error(`block ${block} is damaged`);
      for (let left = this.seedsIn(block); left > 0; left--, seed++)
        code = crc32(encoder.encode(`${seed} ${this.verdict(seed).join(" ")}\n`), code);
    }
    return `${this.seeds} seeds, crc32 ${code.toString(16).padStart(8, "0")}`;
  }
}

if (typeof process !== "undefined" && process.argv[1]?.endsWith("winnable_list.mjs")) {
  const { readFileSync } = await import("node:fs");
  const read = (path) => new WinnableList(new Uint8Array(readFileSync(path)).buffer);
  const [file, ...words] = process.argv.slice(2);
  try {
    const list = read(file === "--digest" ? words.pop() : file);
    if (file === "--digest") console.log(list.digest());
    for (const seed of words.map(BigInt)) console.log(`${seed} ${list.verdict(seed).join(" ")}`);
  } catch (error) {
    console.error(`winnable_list: ${error.message}`);
    process.exitCode = 1;
  }
}
