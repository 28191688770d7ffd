/** Whose address upstreams are told: that of the person, or none. */
import { fromWeb } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { expect, it } from "vitest"
import { psuOf } from "../src/request/Person.ts"

const isProxy = (address: string) => address.startsWith("10.") || address === "203.0.113.9"

const seen = (remote: string | undefined, forwarded?: string, believed = false) => {
  const headers = { "user-agent": "Browser", ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }) }
  const request = fromWeb(new Request("http://test/", { headers })).modify({
    remoteAddress: Option.fromUndefinedOr(remote)
  })
  return psuOf(request, believed ? isProxy : () => false)?.ipAddress
}

it("tells the address that asks, and none of this machine, of private networks, or that is no address", () => {
  expect(seen("198.51.100.7")).toBe("198.51.100.7")
  expect(seen("::ffff:198.51.100.7")).toBe("198.51.100.7")
  expect(seen("2001:db8::7")).toBe("2001:db8::7")
  for (const inner of ["127.0.0.1", "10.1.2.3", "192.168.0.4", "172.20.1.1", "::1", "fd00::1", "unix", undefined]) {
    expect(seen(inner)).toBeUndefined()
  }
})

it("believes what is forwarded from proxies of the operator alone, and of that only what they wrote", () => {
  expect(seen("198.51.100.7", "192.0.2.1")).toBe("198.51.100.7")
  expect(seen("10.0.0.5", "192.0.2.1")).toBeUndefined()
  expect(seen("10.0.0.5", "192.0.2.1", true)).toBe("192.0.2.1")
  // What stands before the first address that is no proxy's, whoever asked has written.
  expect(seen("10.0.0.5", "8.8.8.8, 192.0.2.1, 203.0.113.9", true)).toBe("192.0.2.1")
  expect(seen("198.51.100.7", "192.0.2.1", true)).toBe("198.51.100.7")
  expect(seen("10.0.0.5", undefined, true)).toBeUndefined()
  expect(seen("10.0.0.5", "10.0.0.6", true)).toBeUndefined()
  expect(seen("10.0.0.5", "<script>", true)).toBeUndefined()
})
