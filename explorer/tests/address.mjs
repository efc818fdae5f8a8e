// What address.js makes of contents, and of the addresses that Python has made of them: the other half of test_address.py.

import { readFileSync } from "node:fs";

import { decoded, encoded } from "../src/address.js";

const { about, contents, addresses } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const made = await Promise.all(contents.map((content) => encoded(content, about)));
const read = await Promise.all(addresses.map((address) => decoded(address, about).catch(({ message }) => ({ message }))));
process.stdout.write(JSON.stringify({ made, read }));
