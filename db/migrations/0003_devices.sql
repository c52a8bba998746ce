-- Devices, their agents, and live connections. Every row belongs to its device's organization.
CREATE TABLE devices (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT devices_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  hostname text NOT NULL,
  os text NOT NULL,
  os_version text,
  serial_number text,
  agent_version text,
  status text,
  metrics jsonb,
  last_ip text,
  last_seen_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  short_name text GENERATED ALWAYS AS (
    CASE WHEN hostname ~ '^[0-9.]+$' THEN hostname ELSE split_part(lower(hostname), '.', 1) END) STORED,
  CONSTRAINT devices_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE INDEX devices_org_hostname_idx ON devices (org_id, hostname);
CREATE INDEX devices_hostname_lower_idx ON devices (lower(hostname));
CREATE INDEX devices_short_name_idx ON devices (short_name);

CREATE TABLE agents (
  id text CONSTRAINT agents_pkey PRIMARY KEY,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  token_hash text NOT NULL,
  revoked_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Until then a known agent may enroll again without its token.
  released_until timestamptz(3),
  -- Id of the agent in entries, a lowercase UUID. A column, because row-level security keeps functions out of index
  -- conditions.
  actor_id text GENERATED ALWAYS AS (
    CASE WHEN id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN lower(id) ELSE id END) STORED,
  CONSTRAINT agents_token_hash_key UNIQUE (token_hash),
  CONSTRAINT agents_device_id_devices_id_fk
    FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE,
  CONSTRAINT agents_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE UNIQUE INDEX agents_device_key ON agents (device_id);
CREATE INDEX agents_org_idx ON agents (org_id);
CREATE INDEX agents_actor_idx ON agents (actor_id, org_id);

-- Ids of a device in other products, recorded by imports. Copies the device's partner and organization, because two
-- more look-ups per id would cost an import a third of its time.
CREATE TABLE device_source_ids (
  partner_id uuid NOT NULL,
  source text NOT NULL,
  source_id text NOT NULL,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT device_source_ids_pkey PRIMARY KEY (partner_id, source, source_id),
  CONSTRAINT device_source_ids_device_id_devices_id_fk
    FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE
);
CREATE INDEX device_source_ids_device_idx ON device_source_ids (device_id);

-- Streams and commands live as long as a connection and need not survive a crash of PostgreSQL, so they write no WAL
-- (answers may have 5 MiB).
CREATE UNLOGGED TABLE agent_streams (
  agent_id text CONSTRAINT agent_streams_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  device_id uuid NOT NULL,
  process_id uuid NOT NULL,
  stream_id uuid NOT NULL,
  connected_at timestamptz(3) NOT NULL,
  beat_at timestamptz(3) NOT NULL,
  closed_at timestamptz(3),
  CONSTRAINT agent_streams_agent_id_agents_id_fk
    FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE,
  CONSTRAINT agent_streams_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id),
  CONSTRAINT agent_streams_device_id_devices_id_fk
    FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE
);
CREATE INDEX agent_streams_device_idx ON agent_streams (device_id);
CREATE INDEX agent_streams_org_idx ON agent_streams (org_id);
CREATE INDEX agent_streams_process_idx ON agent_streams (process_id) WHERE closed_at IS NULL;

CREATE UNLOGGED TABLE live_commands (
  id uuid CONSTRAINT live_commands_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  device_id uuid NOT NULL,
  agent_id text NOT NULL,
  stream_id uuid NOT NULL,
  process_id uuid NOT NULL,
  asker_id uuid NOT NULL,
  name text NOT NULL,
  params text NOT NULL,
  deadline timestamptz(3) NOT NULL,
  state text NOT NULL,
  result text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT live_commands_state_check CHECK (state IN ('waiting', 'delivered', 'answered', 'broken')),
  CONSTRAINT live_commands_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id),
  CONSTRAINT live_commands_device_id_devices_id_fk
    FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE
);
CREATE INDEX live_commands_agent_idx ON live_commands (agent_id);
CREATE INDEX live_commands_org_idx ON live_commands (org_id);
CREATE INDEX live_commands_device_idx ON live_commands (device_id);
CREATE INDEX live_commands_stream_idx ON live_commands (stream_id);
CREATE INDEX live_commands_waiting_idx ON live_commands (process_id) WHERE state = 'waiting';
CREATE INDEX live_commands_done_idx ON live_commands (asker_id) WHERE state IN ('answered', 'broken');

SELECT tenant_policy(t)
FROM unnest(ARRAY['devices', 'agents', 'device_source_ids', 'agent_streams', 'live_commands']) AS t;
GRANT SELECT, INSERT, UPDATE, DELETE ON devices, agents, device_source_ids, agent_streams, live_commands
  TO trailmark_app;
