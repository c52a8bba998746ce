-- Notifications: conditions of an organization with start and end, who has read them, channels of people and programs,
-- and sent messages. Also reports by mail, and streams of entries to other systems.

-- One row per occurrence of a condition; at most one of an organization and kind is open. Pending until raised_at.
-- raised_in and resolved_in number the evaluation, so that simultaneous findings are sent together.
CREATE TABLE notifications (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT notifications_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  kind text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'::jsonb,
  resolution jsonb NOT NULL DEFAULT '{}'::jsonb,
  since timestamptz(3) NOT NULL,
  observed_at timestamptz(3) NOT NULL,
  raised_at timestamptz(3),
  raised_in bigint,
  resolved_at timestamptz(3),
  resolved_in bigint,
  CONSTRAINT notifications_kind_check CHECK (length(kind) BETWEEN 1 AND 60),
  CONSTRAINT notifications_order_check CHECK (
    (raised_at IS NULL) = (raised_in IS NULL)
    AND (resolved_at IS NULL) = (resolved_in IS NULL)
    AND (resolved_at IS NULL OR raised_at IS NOT NULL)
  ),
  CONSTRAINT notifications_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX notifications_open_key ON notifications (org_id, kind) WHERE resolved_at IS NULL;
CREATE INDEX notifications_org_idx ON notifications (org_id, raised_at);
CREATE INDEX notifications_raised_in_idx ON notifications (raised_in);
CREATE INDEX notifications_resolved_in_idx ON notifications (resolved_in);

-- Read notifications by person; changes after read_at are unread again.
CREATE TABLE notification_reads (
  user_id uuid NOT NULL,
  notification_id uuid NOT NULL,
  read_at timestamptz(3) NOT NULL,
  CONSTRAINT notification_reads_pkey PRIMARY KEY (user_id, notification_id),
  CONSTRAINT notification_reads_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT notification_reads_notification_id_notifications_id_fk
    FOREIGN KEY (notification_id) REFERENCES notifications (id) ON DELETE CASCADE
);
CREATE INDEX notification_reads_notification_idx ON notification_reads (notification_id);

-- A person's notification settings; NULL is the role's default. pending_from: first evaluation of an owed mail.
CREATE TABLE notification_settings (
  user_id uuid CONSTRAINT notification_settings_pkey PRIMARY KEY,
  product_kinds text[],
  mail_kinds text[],
  org_ids uuid[],
  pending_from bigint,
  last_mailed_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT notification_settings_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

-- Endpoints that messages are posted to; org_id NULL is every organization of the partner. Secrets are encrypted,
-- because they sign each message; the former one also signs until former_until.
CREATE TABLE webhook_endpoints (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT webhook_endpoints_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_id uuid,
  name text NOT NULL,
  url text NOT NULL,
  kinds text[] NOT NULL,
  secret text NOT NULL,
  former_secret text,
  former_until timestamptz(3),
  disabled_at timestamptz(3),
  disabled_by_failure boolean NOT NULL DEFAULT false,
  failing_since timestamptz(3),
  pending_from bigint,
  last_sent_at timestamptz(3),
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhook_endpoints_url_check CHECK (length(url) <= 2048),
  CONSTRAINT webhook_endpoints_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT webhook_endpoints_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX webhook_endpoints_partner_idx ON webhook_endpoints (partner_id);
CREATE INDEX webhook_endpoints_org_idx ON webhook_endpoints (org_id);

-- Messages to an endpoint or person. Taking one advances next_attempt_at, so that a crash leads to another attempt;
-- body is the same at every attempt.
CREATE TABLE notification_deliveries (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT notification_deliveries_pkey PRIMARY KEY,
  partner_id uuid,
  org_id uuid,
  endpoint_id uuid,
  user_id uuid,
  type text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  response_code integer,
  error text,
  delivered_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT notification_deliveries_status_check CHECK (status IN ('pending', 'delivered', 'failed')),
  CONSTRAINT notification_deliveries_target_check CHECK (num_nonnulls(endpoint_id, user_id) = 1),
  CONSTRAINT notification_deliveries_endpoint_id_webhook_endpoints_id_fk
    FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  CONSTRAINT notification_deliveries_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX notification_deliveries_endpoint_idx ON notification_deliveries (endpoint_id, created_at);
CREATE INDEX notification_deliveries_user_idx ON notification_deliveries (user_id, created_at);

-- A report sent to its creator regularly. next_run_at advances when a run is taken.
CREATE TABLE report_schedules (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT report_schedules_pkey PRIMARY KEY,
  user_id uuid NOT NULL,
  partner_id uuid,
  org_id uuid,
  report text NOT NULL,
  cadence text NOT NULL,
  time_zone text NOT NULL,
  next_run_at timestamptz(3) NOT NULL,
  last_run_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  follows_organization boolean NOT NULL DEFAULT false,
  CONSTRAINT report_schedules_cadence_check CHECK (cadence IN ('weekly', 'monthly')),
  CONSTRAINT report_schedules_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT report_schedules_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX report_schedules_user_idx ON report_schedules (user_id);
CREATE INDEX report_schedules_due_idx ON report_schedules (next_run_at);

-- Continuous destinations of entries; org_id NULL is every organization of the partner, including new ones. Secrets are
-- encrypted. No state loses an entry: positions stay.
CREATE TABLE data_streams (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT data_streams_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_id uuid,
  name text NOT NULL,
  kind text NOT NULL,
  config jsonb NOT NULL,
  secret text,
  former_secret text,
  former_until timestamptz(3),
  format text NOT NULL,
  filter jsonb NOT NULL DEFAULT '{}'::jsonb,
  hold_days integer,
  locked boolean NOT NULL DEFAULT false,
  state text NOT NULL,
  state_code text,
  state_message text,
  state_since timestamptz(3) NOT NULL,
  checked_at timestamptz(3),
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT data_streams_state_check
    CHECK (state IN ('draft', 'active', 'paused', 'failing', 'blocked', 'disabled')),
  CONSTRAINT data_streams_hold_days_check CHECK (hold_days BETWEEN 1 AND 3650),
  CONSTRAINT data_streams_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT data_streams_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX data_streams_partner_idx ON data_streams (partner_id);
CREATE INDEX data_streams_org_idx ON data_streams (org_id);

-- Position of a stream in an organization's chain. A replay is a row with an end beside the live one, whose id is
-- zeros.
CREATE TABLE stream_positions (
  stream_id uuid NOT NULL,
  org_id uuid NOT NULL,
  replay_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  through_seq bigint NOT NULL,
  scanned_seq bigint NOT NULL,
  until_seq bigint,
  batch_number bigint NOT NULL DEFAULT 0,
  digest text,
  max_rows integer,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  busy_until timestamptz(3),
  acknowledged_at timestamptz(3),
  heartbeat_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT stream_positions_pkey PRIMARY KEY (stream_id, org_id, replay_id),
  CONSTRAINT stream_positions_stream_id_data_streams_id_fk
    FOREIGN KEY (stream_id) REFERENCES data_streams (id) ON DELETE CASCADE,
  CONSTRAINT stream_positions_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX stream_positions_org_idx ON stream_positions (org_id);

-- Batches, whose limits are stored before the first attempt, so that every attempt sends the same, even after a crash.
-- At most one per position is open.
CREATE TABLE stream_batches (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT stream_batches_pkey PRIMARY KEY,
  stream_id uuid NOT NULL,
  org_id uuid NOT NULL,
  replay_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  number bigint NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  rows integer NOT NULL,
  filtered integer NOT NULL,
  bytes integer NOT NULL,
  previous text,
  digest text NOT NULL,
  checkpoint text,
  gap jsonb,
  attempts integer NOT NULL DEFAULT 1,
  code text,
  error text,
  receipt jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  acknowledged_at timestamptz(3),
  CONSTRAINT stream_batches_stream_id_data_streams_id_fk
    FOREIGN KEY (stream_id) REFERENCES data_streams (id) ON DELETE CASCADE,
  CONSTRAINT stream_batches_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX stream_batches_open_key
ON stream_batches (stream_id, org_id, replay_id) WHERE acknowledged_at IS NULL;
CREATE INDEX stream_batches_stream_idx ON stream_batches (stream_id, created_at);
CREATE INDEX stream_batches_org_idx ON stream_batches (org_id);

-- Entries that a stream will never deliver: removed by retention before, or refused by the receiver.
CREATE TABLE stream_gaps (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT stream_gaps_pkey PRIMARY KEY,
  stream_id uuid NOT NULL,
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  reason text NOT NULL,
  message text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT stream_gaps_reason_check CHECK (reason IN ('retention', 'refused')),
  CONSTRAINT stream_gaps_stream_id_data_streams_id_fk
    FOREIGN KEY (stream_id) REFERENCES data_streams (id) ON DELETE CASCADE,
  CONSTRAINT stream_gaps_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX stream_gaps_stream_idx ON stream_gaps (stream_id, created_at);
CREATE INDEX stream_gaps_org_idx ON stream_gaps (org_id);

-- Archived objects, recorded after they were read back and hashed; retention may then remove their entries.
CREATE TABLE archive_objects (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT archive_objects_pkey PRIMARY KEY,
  stream_id uuid NOT NULL,
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  rows integer NOT NULL,
  bytes bigint NOT NULL,
  key text NOT NULL,
  digest text NOT NULL,
  etag text,
  version_id text,
  lock_mode text,
  lock_until timestamptz(3),
  fault text,
  checked_at timestamptz(3) NOT NULL DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT archive_objects_stream_id_data_streams_id_fk
    FOREIGN KEY (stream_id) REFERENCES data_streams (id) ON DELETE CASCADE,
  CONSTRAINT archive_objects_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX archive_objects_range_key ON archive_objects (org_id, stream_id, first_seq);

-- Entries restored from an archive for a day: copies, so a crash may lose them.
CREATE UNLOGGED TABLE archive_restorations (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT archive_restorations_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  state text NOT NULL DEFAULT 'running',
  rows integer NOT NULL DEFAULT 0,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT archive_restorations_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
  CONSTRAINT archive_restorations_state_check CHECK (state IN ('running', 'ready', 'failed'))
);
CREATE INDEX archive_restorations_org_idx ON archive_restorations (org_id);
CREATE UNLOGGED TABLE archive_restored_entries (
  restoration_id uuid NOT NULL,
  org_id uuid NOT NULL,
  chain_seq bigint NOT NULL,
  id uuid NOT NULL,
  "timestamp" timestamptz(3) NOT NULL,
  actor_type text NOT NULL,
  actor_id uuid NOT NULL,
  actor_email text,
  action text NOT NULL,
  resource_type text NOT NULL,
  resource_id uuid,
  resource_name text,
  details jsonb,
  ip_address text,
  user_agent text,
  result text NOT NULL,
  error_message text,
  checksum text NOT NULL,
  prev_checksum text,
  CONSTRAINT archive_restored_entries_pkey PRIMARY KEY (restoration_id, chain_seq),
  CONSTRAINT archive_restored_entries_restoration_id_archive_restorations_id_fk
    FOREIGN KEY (restoration_id) REFERENCES archive_restorations (id) ON DELETE CASCADE
);

SELECT tenant_policy('notifications');
SELECT tenant_policy(t)
FROM unnest(ARRAY[
  'stream_positions', 'stream_batches', 'stream_gaps', 'archive_objects', 'archive_restorations',
  'archive_restored_entries'
]) AS t;
SELECT tenant_policy(t, 'organization or partner')
FROM unnest(ARRAY['webhook_endpoints', 'notification_deliveries', 'report_schedules', 'data_streams']) AS t;

SELECT tenant_policy(t, 'person') FROM unnest(ARRAY['notification_reads', 'notification_settings']) AS t;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  notifications, notification_reads, notification_settings, webhook_endpoints, notification_deliveries, report_schedules,
  data_streams, stream_positions, stream_batches, stream_gaps, archive_objects, archive_restorations,
  archive_restored_entries
  TO trailmark_app;
