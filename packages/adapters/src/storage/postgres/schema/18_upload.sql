/* Uploaded files, sealed. */

create table upload (
  id key_text primary key,
  feed_id key_text not null references feed (id) on delete cascade,
  workspace_id key_text not null,
  file_name text not null,
  content_type text not null,
  size int not null,
  sha256 key_text not null,
  status text not null,
  job_id key_text,
  error text,
  format text not null,
  statements json not null,
  assumed json not null,
  warnings json not null,
  created_at instant not null,
  -- Digest of what the file was read with.
  reading key_text not null default '',
  file_removed_at instant
);
comment on table upload is 'An uploaded file and what was read from it. Removed with its feed; its content earlier.';
create unique index upload_bytes on upload (feed_id, sha256);
create index upload_feed_id_created_at_id_idx on upload (feed_id, created_at, id);
create index upload_stored on upload (created_at) where file_removed_at is null;
create index upload_waiting on upload (feed_id, created_at) where status in ('stored', 'processing');
call isolate('upload');

create table upload_piece (
  upload_id key_text not null references upload (id) on delete cascade,
  piece int not null,
  -- Sealed by the Secrets port for its place in its file; never plain bytes. It does not compress.
  sealed bytea storage external not null,
  workspace_id key_text not null,
  primary key (upload_id, piece)
);
comment on table upload_piece is 'A piece of the content of an uploaded file, sealed. Removed when the file is.';
call isolate('upload_piece');

create table upload_shown (
  upload_id key_text not null references upload (id) on delete cascade,
  account_id key_text not null,
  data_type key_text not null,
  -- Rows of a reading under way are known by the ids that they have in the file.
  kind text not null check (kind in ('record', 'row')),
  part int not null,
  ids text[] not null,
  workspace_id key_text not null,
  primary key (upload_id, account_id, data_type, kind, part)
);
comment on table upload_shown is 'Which records an uploaded file showed. Written when it is read.';
create index upload_shown_account_id_data_type_idx on upload_shown (account_id, data_type);
call isolate('upload_shown');

create table upload_page (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  state_hash key_text,
  expires_at key_text,
  body json not null
);
comment on table upload_page is
  'The address of a page on which somebody uploads files. Expired ones are removed when the workspace makes the next one.';
create unique index upload_page_state_hash_key on upload_page (state_hash);
create index upload_page_workspace_id_idx on upload_page (workspace_id);
call isolate('upload_page');
create trigger workspace_of_owner before insert on upload_piece for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('upload', 'upload_id');
create trigger workspace_of_owner before insert on upload_shown for each row
  when (new.workspace_id is null)
  execute function workspace_of_owner('upload', 'upload_id');
