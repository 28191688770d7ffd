/** Where messages of a simulated installation arrive. The answer is lost now and then: it has the message, and nobody knows. */
import { Channels, MessageNotSent } from "@millrace/core/message"
import type { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import type { Sometimes } from "./Sometimes.ts"

export class Mailbox {
  readonly #random: Seeded
  readonly #sometimes: Sometimes
  /** Contents by id of the message, as often as it was handed over. */
  readonly #arrived = new Map<string, Array<string>>()
  /** No faults any more. */
  calm = false

  constructor(random: Seeded, sometimes: Sometimes) {
    this.#random = random
    this.#sometimes = sometimes
  }

  of(id: string): ReadonlyArray<string> {
    return this.#arrived.get(id) ?? []
  }

  readonly channels = Channels.of({
    send: ({ content, endpoint, id }) =>
      Effect.suspend(() => {
        const fault = this.calm ? 9 : this.#random.below(10)
        const lost = new MessageNotSent({ message: "scripted", final: false, afterSeconds: this.#random.below(30) })
        if (fault === 0) return Effect.fail(lost)
        const before = this.of(id)
        this.#sometimes.happened(before.length === 0 ? "message sent" : "message handed over again")
        this.#arrived.set(id, [...before, JSON.stringify({ content, endpoint })])
        return fault === 1 ? Effect.fail(lost) : Effect.void
      })
  })
}
