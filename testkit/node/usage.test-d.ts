// What TypeScript accepts of the kit, and what it refuses. types.test.mjs compiles this file.

import { Bank, withBank, type Expectation, type Fault } from "banksim-testkit";

const lost: Fault = { operation: "groups.create", when: { first: 1 }, phase: "after", then: { connection: "reset" } };
const none: Expectation = { operation: "groups.*", exactly: 0 };

export const test: () => Promise<void> = withBank({ scenario: "retail", seed: 7 }, async (bank) => {
  await bank.inject(lost, { operation: ["tokens.*", "users.getStatus"], then: { status: 503, error: { code: "CMN_90001" } } });
  await bank.inject({ then: { delay: "1m30s", headers: { "Set-Cookie": ["a=1", "b=2"] } } });
  await bank.inject({ path: "/v1/accounts/{id}", method: "GET", then: { status: 200, body: { accountId: "7" } } });
  await bank.inject({ path: "/v1/{id}", then: { forward: { url: "https://other.example", ca: "PEM" }, delay: "1s" } });
  await bank.inject({ then: { delay: { p50: "200ms", p95: "800ms" }, expireToken: true } });
  await bank.inject({ when: { during: { from: "1m", for: "5m" } }, then: { connection: { hang: "10s" } } });
  await bank.inject({ when: { request: { header: { "X-Test": null } } }, then: { connection: { dribble: { bytes: 16 } } } });
  await bank.verify(none);
  await bank.verify({ path: "~^/v3", body: { groupName: "Night owls" }, atLeast: 1, atMost: 2 });
  const { accessToken } = await bank.login("1001", { expiresIn: "15m" });
  const later: Date = await bank.advance("16m");
  const { active } = await bank.patch({ institutionId: "02688", hostUserId: "1001" }, { active: false });
  const names: string[] = (await bank.state()).institutions.flatMap(({ groups }) => groups.map((group) => group.groupName));
  const statuses: number[] = (await bank.journal("groups.list")).map((exchange) => exchange.response.status);
  const url: string = bank.httpsUrl ?? bank.baseUrl;
  console.log(accessToken, later, active, names, statuses, url, await bank.caCert(), await bank.token({ client: "demo-app" }));
});

export async function refused(bank: Bank): Promise<void> {
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", wen: { first: 1 }, then: { status: 500 } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", when: { frist: 1 }, then: { status: 500 } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", then: { staus: 500 } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", then: { status: "500" } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.lst", then: { status: 500 } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list" });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", path: "/v1/accounts", then: { status: 500 } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", then: { connection: "rest" } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", then: { expireToken: true, status: 401 } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", then: { delay: "500" } });
  // @ts-expect-error
  await bank.inject({ operation: "groups.list", phase: "later", then: { status: 500 } });
  // @ts-expect-error
  await bank.verify({ operation: "groups.list", exactly: 1, atLeast: 1 });
  // @ts-expect-error
  await bank.verify({ operation: "groups.list", excatly: 1 });
  // @ts-expect-error
  await bank.patch({ institutionId: "02688", hostUserId: "1001" }, { activ: false });
  // @ts-expect-error
  await bank.advance(15);
  // @ts-expect-error
  await Bank.start({ scenario: "retail", scenarioYaml: "name: mine" });
  // @ts-expect-error
  await Bank.start({ ttl: "1h" });
  // @ts-expect-error
  new Bank();
}
