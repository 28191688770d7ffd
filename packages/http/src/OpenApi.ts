/** The OpenAPI document: what the generator cannot know is put in here (decisions 1.13). */
import { amountComponent } from "./api/Amount.ts"

type Json = Record<string, unknown>
export const toDocument = (document: Json): Json => document
void amountComponent
