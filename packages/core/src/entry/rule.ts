/** Conditions and actions of rules, as they are written down. */
export { ConditionGroup, type ConditionNode, type Leaf } from "../rule/ConditionGroup.ts"
export { RuleAction } from "../rule/RuleAction.ts"
