DROP INDEX "audit_search_newest_idx";--> statement-breakpoint
DROP INDEX "audit_search_terms_idx";--> statement-breakpoint
CREATE INDEX "audit_search_newest_idx" ON "audit_search" USING btree ("org_id","max_at","first_seq","min_at");--> statement-breakpoint
CREATE INDEX "audit_search_terms_idx" ON "audit_search" USING gin ("org_id","tags","text" gin_trgm_ops);