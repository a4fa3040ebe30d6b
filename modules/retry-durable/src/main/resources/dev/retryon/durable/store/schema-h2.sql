-- Tables of RetryOn for H2. Times that are numbers are milliseconds since 1970-01-01T00:00:00Z.

-- Calls in all states: a row is WAITING until its call has ended, also while it runs (picked). A call that has failed
-- permanently is DEAD, and has died_at. The first eleven columns are those of db-scheduler.
CREATE TABLE IF NOT EXISTS retryon_call (
  task_name varchar(100) NOT NULL,
  task_instance varchar(100) NOT NULL,
  task_data binary large object,
  execution_time timestamp with time zone NOT NULL,
  picked boolean NOT NULL,
  picked_by varchar(100),
  last_success timestamp with time zone,
  last_failure timestamp with time zone,
  consecutive_failures integer,
  last_heartbeat timestamp with time zone,
  version bigint NOT NULL,
  name varchar(255),
  error_type varchar(500),
  attempt integer,
  started_at bigint,
  lane varchar(50) DEFAULT 'default' NOT NULL,
  unique_key varchar(64),
  again boolean DEFAULT FALSE NOT NULL,
  state varchar(20) DEFAULT 'WAITING' NOT NULL,
  method text,
  bean text,
  arguments character large object,
  error_code varchar(255),
  error_message character large object,
  stack_trace character large object,
  failures character large object,
  reason varchar(30),
  first_failed_at bigint,
  died_at bigint,
  trace_id varchar(100),
  trace_parent varchar(100),
  actions character large object,
  PRIMARY KEY (task_name, task_instance),
  CHECK (state = 'WAITING' OR (picked = FALSE AND died_at IS NOT NULL)),
  CHECK (picked = FALSE OR last_heartbeat IS NOT NULL),
  CHECK (picked = TRUE OR version < 1000000000000000),
  CHECK (execution_time BETWEEN TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
    AND TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.999999+00'),
  CHECK (last_heartbeat BETWEEN TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
    AND TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.999999+00')
);

CREATE INDEX IF NOT EXISTS retryon_call_due ON retryon_call (task_name, state, picked, lane, execution_time);
CREATE INDEX IF NOT EXISTS retryon_call_last_heartbeat ON retryon_call (last_heartbeat);
CREATE UNIQUE INDEX IF NOT EXISTS retryon_call_unique ON retryon_call (task_name, unique_key);
CREATE INDEX IF NOT EXISTS retryon_call_died_at ON retryon_call (task_name, died_at, task_instance);
CREATE INDEX IF NOT EXISTS retryon_call_state ON retryon_call (task_name, state, died_at, task_instance);
CREATE INDEX IF NOT EXISTS retryon_call_name ON retryon_call (task_name, name, error_type);

CREATE TABLE IF NOT EXISTS retryon_change (
  application varchar(100) DEFAULT 'retryon' NOT NULL,
  kind varchar(10) NOT NULL,
  name varchar(255) NOT NULL,
  settings character large object NOT NULL,
  changed_at bigint NOT NULL,
  changed_by varchar(255),
  ends_at bigint,
  version bigint NOT NULL,
  PRIMARY KEY (application, kind, name)
);
