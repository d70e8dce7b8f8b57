BEGIN TRANSACTION;
CREATE TABLE attempts (
	id INTEGER NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	process VARCHAR(200) NOT NULL, 
	entry JSON NOT NULL, 
	environment JSON NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE contents (
	digest VARCHAR(32) NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (digest)
);
CREATE TABLE environments (
	id INTEGER NOT NULL, 
	machine VARCHAR(64) NOT NULL, 
	content JSON NOT NULL, 
	checksum VARCHAR(64), 
	PRIMARY KEY (id)
);
CREATE TABLE explorations (
	id INTEGER NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	environment_id INTEGER NOT NULL, 
	app VARCHAR(200) NOT NULL, 
	circuit VARCHAR(128) NOT NULL, 
	wish JSON NOT NULL, 
	content JSON NOT NULL, 
	rows BLOB NOT NULL, 
	checksum VARCHAR(64), 
	PRIMARY KEY (id), 
	FOREIGN KEY(environment_id) REFERENCES environments (id)
);
CREATE TABLE fheasible_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "fheasible_schema" VALUES(3);
CREATE TABLE measurements (
	id INTEGER NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	environment_id INTEGER NOT NULL, 
	app VARCHAR(200) NOT NULL, 
	circuit VARCHAR(128) NOT NULL, 
	library VARCHAR(40) NOT NULL, 
	scheme VARCHAR(40) NOT NULL, 
	request JSON NOT NULL, 
	parameters JSON NOT NULL, 
	estimate JSON, 
	measurement JSON, 
	outcome VARCHAR(20) NOT NULL, 
	message TEXT NOT NULL, 
	checksum VARCHAR(64), 
	PRIMARY KEY (id), 
	CONSTRAINT known_outcome CHECK (outcome IN ('measured', 'refused', 'died', 'killed for memory', 'timed out', 'wrong')), 
	FOREIGN KEY(environment_id) REFERENCES environments (id)
);
CREATE TABLE profiles (
	id INTEGER NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	machine VARCHAR(64) NOT NULL, 
	library VARCHAR(40) NOT NULL, 
	version VARCHAR(40) NOT NULL, 
	threads INTEGER NOT NULL, 
	content JSON NOT NULL, 
	checksum VARCHAR(64), 
	PRIMARY KEY (id)
);
CREATE TABLE samples (
	id INTEGER NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	environment_id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	campaign VARCHAR(200) NOT NULL, 
	number INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	outcome VARCHAR(20) NOT NULL, 
	message TEXT NOT NULL, 
	figures JSON, 
	found JSON, 
	arrays BLOB, 
	checksum VARCHAR(64), 
	PRIMARY KEY (id), 
	CONSTRAINT known_sample_outcome CHECK (outcome IN ('measured', 'refused', 'died', 'killed for memory', 'timed out', 'wrong')), 
	FOREIGN KEY(environment_id) REFERENCES environments (id), 
	FOREIGN KEY(job_id) REFERENCES sampling_jobs (id)
);
CREATE TABLE sampling_jobs (
	id INTEGER NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	library VARCHAR(40) NOT NULL, 
	scheme VARCHAR(40) NOT NULL, 
	content JSON NOT NULL, 
	checksum VARCHAR(64), 
	PRIMARY KEY (id)
);
CREATE TABLE set_aside (
	id INTEGER NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	table_name VARCHAR(40) NOT NULL, 
	row_id INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE trials (
	id INTEGER NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	environment_id INTEGER NOT NULL, 
	trial VARCHAR(400) NOT NULL, 
	number INTEGER NOT NULL, 
	content JSON NOT NULL, 
	checksum VARCHAR(64), 
	PRIMARY KEY (id), 
	FOREIGN KEY(environment_id) REFERENCES environments (id)
);
CREATE TRIGGER environments_no_update BEFORE UPDATE ON environments BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER environments_no_delete BEFORE DELETE ON environments BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE INDEX profiles_by_machine ON profiles (machine, library, version, threads);
CREATE TRIGGER profiles_no_update BEFORE UPDATE ON profiles BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER profiles_no_delete BEFORE DELETE ON profiles BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE INDEX sampling_jobs_by_key ON sampling_jobs ("key");
CREATE TRIGGER sampling_jobs_no_update BEFORE UPDATE ON sampling_jobs BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER sampling_jobs_no_delete BEFORE DELETE ON sampling_jobs BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER contents_no_update BEFORE UPDATE ON contents BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER contents_no_delete BEFORE DELETE ON contents BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER set_aside_no_update BEFORE UPDATE ON set_aside BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER set_aside_no_delete BEFORE DELETE ON set_aside BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE INDEX measurements_by_app ON measurements (app, library, scheme);
CREATE TRIGGER measurements_no_update BEFORE UPDATE ON measurements BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER measurements_no_delete BEFORE DELETE ON measurements BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE INDEX samples_by_campaign ON samples (campaign, number);
CREATE TRIGGER samples_no_update BEFORE UPDATE ON samples BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER samples_no_delete BEFORE DELETE ON samples BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE INDEX explorations_by_app ON explorations (app, circuit);
CREATE TRIGGER explorations_no_update BEFORE UPDATE ON explorations BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER explorations_no_delete BEFORE DELETE ON explorations BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE INDEX trials_by_name ON trials (trial, number);
CREATE TRIGGER trials_no_update BEFORE UPDATE ON trials BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
CREATE TRIGGER trials_no_delete BEFORE DELETE ON trials BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END;
COMMIT;
