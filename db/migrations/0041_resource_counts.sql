-- The total of a resource is found by an index: the counts of a long history are some hundred thousand rows.
CREATE INDEX audit_resource_counts_resource_idx ON audit_resource_counts (org_id, resource_id);
