-- What an owner must know: conditions of an organization with their beginning and end, who has read of them, by which
-- ways people and programs are told, and the messages that went out. Also: reports that are sent by mail.

-- One row for each time that a condition holds; at most one of an organization and a kind is open. It is pending until
-- raised_at. raised_in and resolved_in number the evaluation, so that what it found at once is told at once.
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

-- Who has read of which; what changed after read_at is unread again.
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

-- What a person wants to be told, and where; NULL is the default of the role. pending_from is the evaluation from which
-- on a mail is owed.
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

-- Where messages are posted to; org_id NULL is every organization of the partner. The secrets are encrypted, because
-- each message is signed with them; the former one signs too until former_until.
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

-- Each message to an endpoint or a person. Who takes one moves next_attempt_at on, so that a crash in between is
-- followed by another attempt; body is what is sent, the same at every attempt.
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
CREATE INDEX notification_deliveries_due_idx ON notification_deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX notification_deliveries_endpoint_idx ON notification_deliveries (endpoint_id, created_at);
CREATE INDEX notification_deliveries_user_idx ON notification_deliveries (user_id, created_at);

-- A report that is sent to whoever made it, again and again. next_run_at moves on when a run is taken.
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

SELECT tenant_policy('notifications');
SELECT tenant_policy(t, 'organization or partner')
FROM unnest(ARRAY['webhook_endpoints', 'notification_deliveries', 'report_schedules']) AS t;

SELECT tenant_policy(t, 'person') FROM unnest(ARRAY['notification_reads', 'notification_settings']) AS t;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  notifications, notification_reads, notification_settings, webhook_endpoints, notification_deliveries, report_schedules
  TO trailmark_app;
