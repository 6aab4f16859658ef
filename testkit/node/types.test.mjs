// The types of the kit in each kind of project. They need TypeScript: run npm install first.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Bank } from "./index.mjs";

const compiler = join(import.meta.dirname, "node_modules/typescript/bin/tsc");

for (const [title, type, module, moduleResolution] of [
  ["an ES module of Node", "module", "nodenext", "nodenext"],
  ["a CommonJS module of Node", "commonjs", "nodenext", "nodenext"],
  ["a bundler", "module", "esnext", "bundler"],
  ["an old project", "commonjs", "commonjs", "node10"],
]) {
  test(`types for ${title}`, { skip: !existsSync(compiler) && "run npm install first" }, (t) => {
    const project = mkdtempSync(join(tmpdir(), "banksim-types-"));
    t.after(() => rmSync(project, { recursive: true }));
    mkdirSync(join(project, "node_modules"));
    symlinkSync(import.meta.dirname, join(project, "node_modules/banksim-testkit"));
    cpSync(join(import.meta.dirname, "usage.test-d.ts"), join(project, "usage.ts"));
    writeFileSync(join(project, "package.json"), JSON.stringify({ type }));
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({
      compilerOptions: { module, moduleResolution, target: "es2022", lib: ["es2022", "dom"], strict: true, noEmit: true, types: [] },
      files: ["usage.ts"],
    }));
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}

test("the types have each operation", async (t) => {
  const bank = await Bank.start();
  t.after(() => bank.close());
  const [, union] = /type OperationPattern = ([^;]*);/.exec(readFileSync(join(import.meta.dirname, "types.d.cts"), "utf8"));
  const { operations } = await bank.call("GET", "/../../operations"); // which is GET /v1/operations
  assert.deepEqual(union.match(/\w+\.\w+/g), operations.map(({ name }) => name));
});
