/* Workspaces, people and keys. */

create table workspace (
  id key_text primary key,
  name text not null,
  icon text,
  plan text not null,
  timezone text not null,
  locale text not null,
  base_currency text not null,
  parent_workspace_id key_text references workspace (id),
  created_at instant not null,
  updated_at instant not null,
  version int not null
);
comment on table workspace is 'A workspace. Written by its people; one row each.';
call isolate('workspace', 'id');

create table app_user (
  id key_text primary key,
  email text not null,
  name text,
  created_at instant not null
);
comment on table app_user is 'A person. Visible where the person is a member; one row each.';

create table member (
  workspace_id key_text not null references workspace (id) on delete cascade,
  user_id key_text not null references app_user (id),
  role text not null check (role in ('viewer', 'editor', 'admin', 'owner')),
  primary key (workspace_id, user_id)
);
comment on table member is 'A person in a workspace, with a role. Written by owners and admins.';
call isolate('member');

create table api_key (
  id key_text primary key,
  workspace_id key_text not null references workspace (id) on delete cascade,
  hash key_text,
  created_at key_text,
  body json not null
);
comment on table api_key is
  'An API key; only its digest is stored. Written by who makes or revokes it; bounded by the number of keys of a plan.';
create unique index api_key_hash_key on api_key (hash);
create index api_key_workspace_id_idx on api_key (workspace_id);
call isolate('api_key');

-- People are not of one workspace: they are visible where they are members.
create policy workspace_wall on app_user
  using ((select reaches_every_workspace()) or id in (select user_id from member)) with check (true);
alter table app_user enable row level security, force row level security;
