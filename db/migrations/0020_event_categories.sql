-- Widened by what orders one device's rows, so that a rare category in a long history costs no more than its page.
DROP INDEX "device_event_logs_cat_level_idx";--> statement-breakpoint
CREATE INDEX "device_event_logs_cat_level_idx" ON "device_event_logs" USING btree ("category","level","device_id","timestamp","id");