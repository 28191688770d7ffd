/** Settings that cannot be used: each is named, with what it must be. */
import { tmpdir } from "node:os"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { settings } from "../src/Settings.ts"

const secret = Buffer.alloc(32, 5).toString("base64")

const refusal = (env: Readonly<Record<string, string>>) =>
  settings.pipe(
    Effect.flip,
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.runPromise
  )

describe("a setting that cannot be used", () => {
  it.each([
    [
      "a port that is no number",
      { MILLRACE_PORT: "abc" },
      'MILLRACE_PORT must be a whole number from 1 to 65535, and is "abc".'
    ],
    ["a currency that does not exist", { MILLRACE_CURRENCY: "EURO" }, "MILLRACE_CURRENCY must be an ISO 4217 code"],
    ["a time zone that does not exist", { MILLRACE_TIMEZONE: "Mars/Olympus" }, "MILLRACE_TIMEZONE must be the name of"],
    ["a log in no form that there is", { MILLRACE_LOG: "xml" }, 'MILLRACE_LOG must be text or json, and is "xml".'],
    ["a port beyond the last", { MILLRACE_PORT: "70000" }, "MILLRACE_PORT must be a whole number from 1 to 65535"],
    ["too many slots", { MILLRACE_SLOTS: "101" }, "MILLRACE_SLOTS must be a whole number from 0 to 100"],
    ["no slot for jobs and nobody else to run them", { MILLRACE_SLOTS: "0" }, "MILLRACE_SLOTS=0 needs DATABASE_URL"],
    ["a cluster on the built-in database", { MILLRACE_CLUSTER: "one:7000" }, "MILLRACE_CLUSTER needs DATABASE_URL"],
    [
      "nothing between the server and the built-in database",
      { MILLRACE_DATABASE_DIRECT: "true" },
      "MILLRACE_DATABASE_DIRECT needs DATABASE_URL"
    ],
    [
      "a guess at what stands before the database",
      { MILLRACE_DATABASE_DIRECT: "maybe", DATABASE_URL: "postgres://nobody@127.0.0.1/none" },
      'MILLRACE_DATABASE_DIRECT must be true or false, and is "maybe".'
    ],
    [
      "a cluster address without a port",
      { MILLRACE_CLUSTER: "one", DATABASE_URL: "postgres://nobody@127.0.0.1/none" },
      'MILLRACE_CLUSTER must be of the form host:port, as other processes reach this one, and is "one".'
    ],
    [
      "hosts by a pattern",
      { MILLRACE_PRIVATE_HOSTS: "bank.internal,*.corp" },
      'MILLRACE_PRIVATE_HOSTS must be a list of hosts with commas between them: "*.corp" is not'
    ],
    [
      "proxies by a name",
      { MILLRACE_TRUSTED_PROXIES: "10.0.0.0/8,proxy.internal" },
      'MILLRACE_TRUSTED_PROXIES must be a list of addresses or networks, such as 10.0.0.5,fd00::/8: "proxy.internal" is none.'
    ],
    ["a network of too many bits", { MILLRACE_TRUSTED_PROXIES: "10.0.0.0/33" }, '"10.0.0.0/33" is none.'],
    [
      "a budget without an instance",
      { MILLRACE_BUDGETS: "demo:default=600/30,600" },
      'MILLRACE_BUDGETS must be a list such as "demo:default=600,demo:other=100/10"'
    ],
    ["mail without a server", { MILLRACE_SMTP_FROM: "a@b.example" }, "MILLRACE_SMTP_FROM needs MILLRACE_SMTP_HOST"],
    ["mail from nobody", { MILLRACE_SMTP_HOST: "smtp.example.com" }, "MILLRACE_SMTP_FROM must be an e-mail address"],
    [
      "a secret for mail in the open",
      {
        MILLRACE_SMTP_HOST: "smtp.example.com",
        MILLRACE_SMTP_FROM: "a@b.example",
        MILLRACE_SMTP_USER: "u",
        MILLRACE_SMTP_SECRET: "s",
        MILLRACE_SMTP_TLS: "none"
      },
      "MILLRACE_SMTP_TLS=none would send MILLRACE_SMTP_SECRET in the open"
    ],
    ["text messages to nowhere", { MILLRACE_SMS_URL: "sms" }, "MILLRACE_SMS_URL must be an address"],
    ["a lease of no time", { MILLRACE_JOB_LEASE: "0" }, "MILLRACE_JOB_LEASE must be a whole number from 1 to 3600"],
    [
      "no requests at all",
      { MILLRACE_REQUESTS_PER_MINUTE: "0" },
      "MILLRACE_REQUESTS_PER_MINUTE must be a whole number from 1 to 100000"
    ],
    ["a flag that is neither", { MILLRACE_DEMO: "perhaps" }, 'MILLRACE_DEMO must be true or false, and is "perhaps".'],
    [
      "a switch of enrichments that is neither",
      { MILLRACE_ENRICHMENTS: "maybe" },
      'MILLRACE_ENRICHMENTS must be on or off, and is "maybe".'
    ],
    ["a secret of the wrong length", { MILLRACE_SECRET: "c2hvcnQ=" }, "MILLRACE_SECRET must be 32 bytes in base64"],
    [
      "a former secret without the one of now",
      { MILLRACE_SECRET_PREVIOUS: Buffer.alloc(32).toString("base64") },
      "MILLRACE_SECRET_PREVIOUS needs MILLRACE_SECRET"
    ],
    [
      "a former secret of the wrong length",
      { MILLRACE_SECRET: secret, MILLRACE_SECRET_PREVIOUS: `${secret},c2hvcnQ=` },
      "MILLRACE_SECRET_PREVIOUS must be former values of MILLRACE_SECRET"
    ],
    [
      "an address of something else",
      { DATABASE_URL: "mysql://u:hidden@h/d" },
      "DATABASE_URL must be of the form postgres://"
    ]
  ])("is named: %s", async (_, environment, message) => {
    const invalid = await refusal({ MILLRACE_DATA: tmpdir(), ...environment })
    expect(invalid.message).toContain(message)
    expect(invalid.message).not.toContain("hidden")
    expect(invalid.message).not.toContain("\n")
  })
})
