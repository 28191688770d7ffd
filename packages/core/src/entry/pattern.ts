/** For authors of pattern engines: the syntax that is allowed, parsed and proven to be linear. */
export {
  type CompiledPattern,
  compileProven,
  faultText,
  lengthFault,
  type PatternEngine,
  type PatternFault,
  Patterns,
  provenPatterns,
  searchable
} from "../pattern/Pattern.ts"
export { literalPrefix } from "../pattern/PatternLiterals.ts"
export { isNullable } from "../pattern/PatternProof.ts"
export type { ParsedPattern, PatternNode } from "../pattern/PatternNode.ts"
export { parse } from "../pattern/PatternSyntax.ts"
