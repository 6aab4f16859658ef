// A program in TypeScript against a client that is made from the OpenAPI document of the control API. It only has to
// compile: its types are what the document promises.
import createClient from "openapi-fetch";
import type { paths } from "./control";

const control = createClient<paths>({ baseUrl: "http://127.0.0.1:8081" });

export async function firesOnce(): Promise<number | string> {
  const { data: sandbox, error } = await control.POST("/v1/sandboxes", { body: { name: "mine", ttl: "1h" } });
  if (error) return error.detail;
  const inSandbox = { path: { sandbox: sandbox.name } };
  await control.PATCH("/v1/sandboxes/{sandbox}", { params: inSandbox, body: { ttl: "2h" } });
  await control.POST("/v1/sandboxes/{sandbox}/faults", {
    params: inSandbox, body: { operation: "groups.list", when: { first: 1 }, then: { status: 500 } },
  });
  const faults = await control.GET("/v1/sandboxes/{sandbox}/faults", { params: inSandbox });
  const journal = await control.GET("/v1/sandboxes/{sandbox}/journal", {
    params: { ...inSandbox, query: { q: "outcome:faulted", limit: 1 } },
  });
  const newest = typeof journal.data === "object" ? journal.data.exchanges.at(-1) : undefined; // text by ?format=text
  return newest?.fault?.answeredBy ?? faults.data?.faults[0]?.fired ?? sandbox.lastReset?.at ?? 0;
}
