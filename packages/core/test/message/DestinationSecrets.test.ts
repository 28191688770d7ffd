import {
  isMasked,
  maskedAddress,
  maskedConfig,
  restoredConfig,
  secretsIn,
  unmaskedConfig
} from "../../src/message/DestinationSecrets.ts"
import { MessageDestinations } from "../../src/message/MessageDestination.ts"
import { decode } from "../../src/shared/StrictDecoding.ts"
import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"

const slack = (path: string) => ({ type: "slack", webhookUrl: `https://hooks.slack.com/services/${path}` })
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
const webhook = { type: "webhook", url: "https://example.com/hook?token=0123456789abcdef", secret }
const mail = { type: "email", recipients: ["ann@example.com"] }
const config = { cooldownMinutes: 5, destinations: [slack("T0/B0/aaaaaaaaaaaa1111"), mail, webhook] }
const masks = maskedConfig(config) as typeof config

describe("secrets of destinations", () => {
  it.each([
    ["https://hooks.slack.com/services/T0/B0/abcdefgh", "https://hooks.slack.com/****efgh"],
    ["https://example.com:8443/a", "https://example.com:8443/****"],
    ["https://example.com/?token=0123456789abcdef", "https://example.com/****cdef"],
    ["https://example.com", "https://example.com"],
    ["https://example.com/", "https://example.com/"],
    ["no address", "****"]
  ])("shows of %s only %s", (address, mask) => {
    expect(maskedAddress(address)).toBe(mask)
  })

  it("masks addresses and secrets, and nothing else", () => {
    expect(masks).toEqual({
      cooldownMinutes: 5,
      destinations: [
        { type: "slack", webhookUrl: "https://hooks.slack.com/****1111" },
        mail,
        { type: "webhook", url: "https://example.com/****cdef", secret: "whsec_****BwcH" }
      ]
    })
    expect(maskedConfig(masks)).toEqual(masks)
    for (const other of [
      null,
      3,
      [],
      {},
      { destinations: "none" },
      { destinations: [null, 1, {}, { type: "pager" }] }
    ]) {
      expect(maskedConfig(other)).toEqual(other)
      expect(restoredConfig(other, config)).toEqual(other)
    }
  })

  it("puts every secret back in its place", () => {
    const secrets = secretsIn(config)
    expect(Object.keys(secrets)).toEqual([
      "destinations[0].webhookUrl",
      "destinations[2].url",
      "destinations[2].secret"
    ])
    expect(unmaskedConfig(masks, secrets)).toEqual(config)
    expect(secretsIn(masks)).toEqual({})
  })

  it("takes masks that are sent back for what they stand for, wherever they moved to", () => {
    expect(restoredConfig(masks, config)).toEqual(config)
    const [first, second, third] = masks.destinations
    expect(restoredConfig({ destinations: [third!, first!, second!] }, config)).toEqual({
      destinations: [webhook, config.destinations[0], mail]
    })
  })

  it("takes what is sent whole as it is", () => {
    const moved = { destinations: [{ ...masks.destinations[2], url: "https://example.org/other" }, mail] }
    expect(restoredConfig(moved, config)).toEqual({
      destinations: [{ type: "webhook", url: "https://example.org/other", secret }, mail]
    })
  })

  it("leaves a mask of two, or of none, and names its field", () => {
    const twins = { destinations: [slack("T0/B0/aaaaaaaaaaaa1111"), slack("T0/B0/bbbbbbbbbbbb1111")] }
    const mask = maskedConfig(twins) as typeof twins
    expect(restoredConfig(mask, twins)).toEqual(twins)
    const third = { destinations: [mail, mail, mask.destinations[0]!] }
    expect(restoredConfig(third, twins)).toEqual(third)
    for (const list of [third.destinations, masks.destinations]) {
      const decoded = decode(MessageDestinations, list)
      const faults = Result.isFailure(decoded) ? decoded.failure : []
      expect(faults.length).toBe(list.flatMap((one) => Object.values(one)).filter((v) => isMasked(String(v))).length)
      expect(faults.every(({ message }) => message.includes("send it whole"))).toBe(true)
    }
  })
})
