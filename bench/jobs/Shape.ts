/** The work of a job, which is the same for every engine: pages, each fetched and then written in one transaction. */
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"

export interface Shape {
  readonly pages: number
  /** Rows of a page. */
  readonly rows: number
  /** How long the upstream takes for a page. */
  readonly fetchMillis: number
}

/** So little that the engine itself is what takes time. */
export const short: Shape = { pages: 1, rows: 10, fetchMillis: 0 }

/** Takes so long that a queue of such jobs takes seconds, whatever the engine. */
export const slow: Shape = { pages: 1, rows: 10, fetchMillis: 200 }

/** A sync of some seconds. */
export const long: Shape = { pages: 20, rows: 500, fetchMillis: 150 }

/** Where an engine works: a database of its own. */
export interface Place extends PostgresAddress {
  readonly database: string
}

/** What a page leaves: rows that nothing keeps from being doubled, and how far each job of a peer has come. */
export const tables = `
  create table public.page_row (job text not null, page int not null, n int not null, body text not null);
  create index on public.page_row (job);
  create table public.page_done (job text primary key, page int not null)`

/** Rows of a page. They are made by the server, so that no driver is measured: job, page, number of rows. */
export const writeRows = `insert into public.page_row (job, page, n, body)
  select $1::text, $2::int, n, 'row ' || n || ' of page ' || $2::int || ' of ' || $1::text from generate_series(1, $3::int) n`
