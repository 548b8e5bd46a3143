// Measures lists of many ranges: the CPU that they take to compile, and that a look-up takes. Run it by hand:
// `node bench/lists/main.ts [entries]`

import { compileLists } from "../../src/features/lists/lists.ts";
import { Faults } from "../../src/options/faults.ts";

const entries = Number(process.argv[2] ?? 10_000);
const ROUNDS = 500_000;

/** Milliseconds of CPU, so that other programs on the machine do not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The same numbers in every run. */
let state = 1;
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const hex = () => random(65_536).toString(16);
const ipv4 = () => `${random(224)}.${random(256)}.${random(256)}.${random(256)}`;
const ipv6 = () => `2001:${hex()}:${hex()}:${hex()}:${hex()}:${hex()}:${hex()}:${hex()}`;

/** A range of 8 to 24 bits of IPv4, without host bits. */
function range4(): string {
  const prefix = 8 + random(17);
  const bits = random(2 ** 32);
  const first = bits - (bits % 2 ** (32 - prefix));
  const bytes = [first >>> 24, (first >>> 16) & 255, (first >>> 8) & 255, first & 255];
  return `${bytes.join(".")}/${prefix}`;
}

const range6 = () => `2001:${hex()}:${hex()}::/48`;

for (const [family, range, address] of [
  ["IPv4", range4, ipv4],
  ["IPv6", range6, ipv6],
] as const) {
  const deny = Array.from({ length: entries }, () => ({ cidr: range() }));
  const compile = () => compileLists({ deny }, "lists", new Faults())!;
  const times = Array.from({ length: 5 }, () => {
    const started = cpuMs();
    compile();
    return cpuMs() - started;
  });
  const lists = compile();
  const addresses = Array.from({ length: 1_000 }, address);
  let found = 0;
  const look = (rounds: number) => {
    for (let i = 0; i < rounds; i++) {
      const subject = { ip: addresses[i % addresses.length]!, identities: [] };
      if (lists.find(subject, 0)) found++;
    }
  };
  look(ROUNDS / 10);
  const started = cpuMs();
  look(ROUNDS);
  const us = ((cpuMs() - started) / ROUNDS) * 1000;
  console.log(
    `${family}: ${entries} ranges compile in ${times[0]!.toFixed(1)} ms at first, ${Math.min(...times).toFixed(1)} ms later; a look-up takes ${us.toFixed(2)} us (${Math.round((100 * found) / (1.1 * ROUNDS))} % found)`,
  );
}
