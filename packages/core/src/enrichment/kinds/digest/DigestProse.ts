/**
 * A digest in sentences. Every figure and every name is a mark in them, with its value apart: so they are read to people with the
 * values, and shown without them to anyone who may put them into other words.
 */
import { filled } from "../../../message/Phrasing.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { DigestItem } from "./DigestItems.ts"
import type { FlowLine } from "./DigestSubject.ts"

export interface Prose {
  readonly text: string
  readonly values: ReadonlyArray<string>
}

export interface ProseInput {
  readonly period: string
  readonly flow: ReadonlyArray<
    FlowLine & { readonly value: Decimal.Decimal; readonly previous: Decimal.Decimal | undefined }
  >
  readonly breaches: ReadonlyArray<{ readonly name: string; readonly over: string }>
  readonly items: ReadonlyArray<DigestItem>
  readonly labelOf: (item: DigestItem) => string
  readonly textOf: (value: Decimal.Decimal, unit: FlowLine["unit"]) => string
}

/** Sentences about items, at most. */
const mostItems = 5
const mostBreaches = 2

class Sentences {
  readonly all: Array<string> = []
  readonly values: Array<string> = []
  /** Stands for a value. */
  mark(value: string): string {
    this.values.push(value)
    return `{${this.values.length}}`
  }
}

/** A sum, and by how much it is another one than before. */
const flowSentence = (
  said: Sentences,
  { textOf }: ProseInput,
  { label, previous, unit, value }: ProseInput["flow"][number]
): string => {
  const start = `${label}: ${said.mark(textOf(value, unit))}`
  if (previous === undefined || previous === value) return `${start}.`
  const gap = Decimal.subtract(value, previous)
  return `${start}, ${said.mark(textOf(Decimal.abs(gap), unit))} ${Decimal.isNegative(gap) ? "less" : "more"} than the time before.`
}

const sentenceOf = (said: Sentences, { labelOf, textOf }: ProseInput, item: DigestItem, isFirst: boolean): string => {
  const { fact, previous } = item
  const label = said.mark(labelOf(item))
  const value = said.mark(textOf(fact.value, fact.unit))
  switch (fact.section) {
    case "recurring":
      return `The price of ${label} changed by ${value}.`
    case "categories":
    case "merchants": {
      const then =
        previous !== undefined && previous !== fact.value ? ` after ${said.mark(textOf(previous, fact.unit))}` : ""
      return isFirst ? `What stands out most is ${label}: ${value}${then}.` : `For ${label} it is ${value}${then}.`
    }
    default:
      return `${label}: ${value}.`
  }
}

export const proseOf = (input: ProseInput): Prose => {
  const said = new Sentences()
  said.all.push(`This is ${said.mark(input.period)}.`)
  for (const line of input.flow) said.all.push(flowSentence(said, input, line))
  for (const { name, over } of input.breaches.slice(0, mostBreaches)) {
    said.all.push(`The budget ${said.mark(name)} is overspent by ${said.mark(over)}.`)
  }
  for (const [at, item] of input.items.slice(0, mostItems).entries()) {
    said.all.push(sentenceOf(said, input, item, at === 0))
  }
  return { text: said.all.join(" "), values: said.values }
}

/** As people read it where nobody finds other words. */
export const plainProse = ({ text, values }: Prose): string => filled(text, values)
