/**
 * Sentences of messages in other words (enrichments C16). Anyone who writes them is shown sentences of ours with marks in place
 * of every figure and name, so nothing that others wrote can steer it; what it answers is taken only where each mark is in it once,
 * in the same order, and nothing else that could be a figure.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Message, MessageContent } from "./Message.ts"

/** Port: the sentences of a message in other words; `undefined`: they stay as they are, which they do unless it is given. */
export class Phrasing extends Context.Reference<{
  readonly phrase: (message: Message) => Effect.Effect<string | undefined, StorageUnavailable>
}>("@millrace/core/message/Phrasing", { defaultValue: () => ({ phrase: () => Effect.undefined }) }) {}

const mark = /\{(\d+)\}/g
/** Figures, signs of money and shares, addresses, and what some channel takes for markup. */
const forbidden = /[\p{N}\p{Sc}\p{C}%‰@<>{}[\]|\\`*_#~]|:\/\/|www\./u
const numberWords =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|billions?|twice|thrice|double[ds]?|doubling|tripled?|triples|halves|half|halved|quarters?|thirds?|percent|zero)\b/giu

const marksIn = (text: string): string => Array.from(text.matchAll(mark), ([one]) => one).join("")
const wordsIn = (text: string): ReadonlyArray<string> => text.toLowerCase().match(numberWords) ?? []

/** Whether an answer says what the sentences say, as far as figures and names go. */
export const isFaithful = (sentences: string, answer: string): boolean => {
  const rest = answer.replaceAll(mark, "")
  const allowed = new Set(wordsIn(sentences))
  return (
    rest.trim() !== "" &&
    answer.length <= 2 * sentences.length + 200 &&
    marksIn(answer) === marksIn(sentences) &&
    !forbidden.test(rest) &&
    wordsIn(answer).every((word) => allowed.has(word))
  )
}

/** Values in the places of their marks. */
export const filled = (text: string, values: ReadonlyArray<string>): string =>
  text.replaceAll(mark, (one, place: string) => values[Number(place) - 1] ?? one)

/** A message as it is sent: with the words that were found for it, or its own. */
export const worded = ({ rephrase, ...content }: MessageContent, phrased: string | undefined): MessageContent => {
  if (rephrase === undefined || phrased === undefined) return content
  const prose = filled(phrased, rephrase.values)
  return { ...content, prose, data: { ...content.data, prose } }
}
