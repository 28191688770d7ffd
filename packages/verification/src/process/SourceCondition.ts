/** What Node gets, so that it runs the TypeScript files of the packages and not what was built of them. */
export const sourceCondition = "--conditions=@millrace/source"
