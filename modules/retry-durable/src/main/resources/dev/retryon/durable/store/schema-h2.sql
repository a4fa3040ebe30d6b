-- Tables of RetryOn for H2. Times that are numbers are milliseconds since 1970-01-01T00:00:00Z.

-- Calls in all states: a row is WAITING until its call has ended, also while it runs (picked). A call behind another one
-- with its order key is BLOCKED. A call that has failed permanently is DEAD, and has died_at. The first eleven columns are
-- those of db-scheduler. Processes look only for calls of methods that they can run now, by method_hash.
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
  method_hash varchar(100) DEFAULT '' NOT NULL,
  unfit_since bigint,
  unique_key varchar(64),
  again boolean DEFAULT FALSE NOT NULL,
  order_key varchar(64),
  order_number bigint,
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
  task varchar(36),
  task_undo bigint,
  PRIMARY KEY (task_name, task_instance),
  CHECK (state = 'WAITING' OR (picked = FALSE AND (died_at IS NOT NULL OR state = 'BLOCKED'))),
  CHECK (picked = FALSE OR last_heartbeat IS NOT NULL),
  CHECK (picked = TRUE OR version < 1000000000000000),
  CHECK (execution_time BETWEEN TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
    AND TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.999999+00'),
  CHECK (last_heartbeat BETWEEN TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
    AND TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.999999+00')
);

CREATE INDEX IF NOT EXISTS retryon_call_due ON retryon_call (task_name, state, picked, lane, method_hash, execution_time);
CREATE INDEX IF NOT EXISTS retryon_call_last_heartbeat ON retryon_call (last_heartbeat);
CREATE UNIQUE INDEX IF NOT EXISTS retryon_call_unique ON retryon_call (task_name, unique_key);
CREATE INDEX IF NOT EXISTS retryon_call_order ON retryon_call (task_name, order_key, order_number);
CREATE INDEX IF NOT EXISTS retryon_call_died_at ON retryon_call (task_name, died_at, task_instance);
CREATE INDEX IF NOT EXISTS retryon_call_state ON retryon_call (task_name, state, died_at, task_instance);
CREATE INDEX IF NOT EXISTS retryon_call_name ON retryon_call (task_name, name, error_type);

-- One row for each order key that was used recently. A transaction that stores a call with the key locks the row
-- until the transaction ends, so the numbers of the key's calls are in commit order.
CREATE TABLE IF NOT EXISTS retryon_order (
  task_name varchar(100) NOT NULL,
  order_key varchar(64) NOT NULL,
  last_number bigint NOT NULL,
  last_id varchar(100) NOT NULL,
  previous_id varchar(100),
  used_at bigint NOT NULL,
  PRIMARY KEY (task_name, order_key)
);

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

-- One row for each running process, with the methods that it can run, and the threads of its lanes. Its times come from
-- the database clock.
CREATE TABLE IF NOT EXISTS retryon_node (
  application varchar(100) DEFAULT 'retryon' NOT NULL,
  id varchar(100) NOT NULL,
  name varchar(255) NOT NULL,
  version varchar(255),
  methods character large object NOT NULL,
  lanes character large object NOT NULL,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (application, id)
);

-- One row for each bulk task that is running or ended within a day, with the process that runs it. One task runs at a time.
-- A call whose due time the task has set has the id of the task and, until the call is leased, the due time (in microseconds)
-- or the attempts to restore if the task is cancelled.
CREATE TABLE IF NOT EXISTS retryon_task (
  application varchar(100) DEFAULT 'retryon' NOT NULL,
  id varchar(36) NOT NULL,
  task character large object NOT NULL,
  progress character large object NOT NULL,
  running boolean,
  node varchar(100) NOT NULL,
  started_at bigint NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (application, id),
  UNIQUE (application, running)
);
