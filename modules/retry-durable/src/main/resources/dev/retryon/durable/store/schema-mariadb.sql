-- Tables of RetryOn for MariaDB. Times that are numbers are milliseconds since 1970-01-01T00:00:00Z.
-- Texts are stored in utf8mb4, whatever the database uses else: messages and arguments may hold any character.

-- Calls in all states: a row is WAITING until its call has ended, also while it runs (picked). A call that has failed
-- permanently is DEAD, and has died_at. The first eleven columns are those of db-scheduler.
CREATE TABLE IF NOT EXISTS retryon_call (
  task_name varchar(100) NOT NULL,
  task_instance varchar(100) NOT NULL,
  task_data longblob,
  execution_time datetime(6) NOT NULL CHECK (execution_time BETWEEN '1970-01-01 00:00:00' AND '9999-12-31 23:59:59.999999'),
  picked boolean NOT NULL CHECK (picked IN (0, 1)),
  picked_by varchar(100),
  last_success datetime(6),
  last_failure datetime(6),
  consecutive_failures integer,
  last_heartbeat datetime(6) CHECK (last_heartbeat BETWEEN '1970-01-01 00:00:00' AND '9999-12-31 23:59:59.999999'),
  version bigint NOT NULL,
  name varchar(255),
  error_type varchar(500),
  attempt integer,
  started_at bigint,
  lane varchar(50) DEFAULT 'default' NOT NULL,
  unique_key varchar(64),
  again boolean DEFAULT FALSE NOT NULL,
  state varchar(20) DEFAULT 'WAITING' NOT NULL,
  method longtext,
  bean longtext,
  arguments longtext,
  error_code varchar(255),
  error_message longtext,
  stack_trace longtext,
  failures longtext,
  reason varchar(30),
  first_failed_at bigint,
  died_at bigint,
  trace_id varchar(100),
  trace_parent varchar(100),
  actions longtext,
  PRIMARY KEY (task_name, task_instance),
  INDEX retryon_call_due (task_name, state, picked, lane, execution_time),
  INDEX retryon_call_last_heartbeat (last_heartbeat),
  UNIQUE INDEX retryon_call_unique (task_name, unique_key),
  INDEX retryon_call_died_at (task_name, died_at, task_instance),
  INDEX retryon_call_state (task_name, state, died_at, task_instance),
  INDEX retryon_call_name (name, error_type),
  CHECK (state = 'WAITING' OR (picked = FALSE AND died_at IS NOT NULL)),
  CHECK (picked = FALSE OR last_heartbeat IS NOT NULL),
  CHECK (picked = TRUE OR version < 1000000000000000)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS retryon_change (
  application varchar(100) DEFAULT 'retryon' NOT NULL,
  kind varchar(10) NOT NULL,
  name varchar(255) NOT NULL,
  settings longtext NOT NULL,
  changed_at bigint NOT NULL,
  changed_by varchar(255),
  ends_at bigint,
  version bigint NOT NULL,
  PRIMARY KEY (application, kind, name)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
