/** How the rows of some keys are found: by the numbers of the keys. */

/**
 * A part of a statement that selects from the rows of a table, called `r`, those of the keys. `table` and `keys` are
 * parameters; keys are in a list: joined with what is given, the planner reads the whole table where it knows nothing yet of
 * how large it has become. For the same reason table and key are compared in a `case`: it would look up all rows of the table
 * beside the numbers.
 */
export const ofKeys = (
  columns: string,
  table: string,
  keys: string,
  condition = "true",
  numbers = `select row_key_no(${table}, k.key) from unnest(${keys}) k(key)`
): string => `
  select ${columns} from table_row r where r.key_no is not null and r.key_no = any(array(${numbers}))
    and case when r.table_id = ${table} and r.external_key = any(${keys}) then true else false end and ${condition}`
