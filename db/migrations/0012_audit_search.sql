CREATE TABLE "audit_search" (
	"org_id" uuid NOT NULL,
	"first_seq" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	"min_at" timestamp (3) with time zone NOT NULL,
	"max_at" timestamp (3) with time zone NOT NULL,
	"rough" boolean NOT NULL,
	"tags" integer[] NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "audit_search_pkey" PRIMARY KEY("org_id","first_seq")
);
--> statement-breakpoint
CREATE TABLE "audit_search_state" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"indexed_through_seq" bigint DEFAULT 0 NOT NULL,
	"tallied_through_seq" bigint DEFAULT 0 NOT NULL,
	"pruned_through_seq" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_search_terms" (
	"org_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	CONSTRAINT "audit_search_terms_pkey" PRIMARY KEY("org_id","kind","value")
);
--> statement-breakpoint
CREATE TABLE "audit_tallies" (
	"org_id" uuid NOT NULL,
	"first_seq" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"action" text NOT NULL,
	"actor_type" text NOT NULL,
	"result" text NOT NULL,
	"rows" integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_search_newest_idx" ON "audit_search" USING btree ("org_id","max_at","first_seq");--> statement-breakpoint
CREATE INDEX "audit_search_terms_idx" ON "audit_search" USING gin ("org_id","tags","text" gin_trgm_ops) WITH (gin_pending_list_limit=1024);--> statement-breakpoint
CREATE INDEX "audit_tallies_org_idx" ON "audit_tallies" USING btree ("org_id","first_seq");