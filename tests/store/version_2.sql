-- A database of version 2 of the store, as the Fheasible of commit 6634587 made it on PostgreSQL 15: its tests' fill(), by pg_dump --inserts.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.attempts (
    id integer NOT NULL,
    created character varying(40) NOT NULL,
    process character varying(200) NOT NULL,
    entry json NOT NULL,
    environment json NOT NULL
);
CREATE SEQUENCE public.attempts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.attempts_id_seq OWNED BY public.attempts.id;
CREATE TABLE public.contents (
    digest character varying(32) NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.environments (
    id integer NOT NULL,
    machine character varying(64) NOT NULL,
    content json NOT NULL,
    checksum character varying(64)
);
CREATE SEQUENCE public.environments_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.environments_id_seq OWNED BY public.environments.id;
CREATE TABLE public.explorations (
    id integer NOT NULL,
    created character varying(40) NOT NULL,
    environment_id integer NOT NULL,
    app character varying(200) NOT NULL,
    circuit character varying(128) NOT NULL,
    wish json NOT NULL,
    content json NOT NULL,
    rows bytea NOT NULL,
    checksum character varying(64)
);
CREATE SEQUENCE public.explorations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.explorations_id_seq OWNED BY public.explorations.id;
CREATE TABLE public.fheasible_schema (
    version integer NOT NULL
);
CREATE TABLE public.measurements (
    id integer NOT NULL,
    created character varying(40) NOT NULL,
    environment_id integer NOT NULL,
    app character varying(200) NOT NULL,
    circuit character varying(128) NOT NULL,
    library character varying(40) NOT NULL,
    scheme character varying(40) NOT NULL,
    request json NOT NULL,
    parameters json NOT NULL,
    estimate json,
    measurement json,
    outcome character varying(20) NOT NULL,
    message text NOT NULL,
    checksum character varying(64),
    CONSTRAINT known_outcome CHECK (((outcome)::text = ANY ((ARRAY['measured'::character varying, 'refused'::character varying, 'died'::character varying, 'timed out'::character varying, 'wrong'::character varying])::text[])))
);
CREATE SEQUENCE public.measurements_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.measurements_id_seq OWNED BY public.measurements.id;
CREATE TABLE public.profiles (
    id integer NOT NULL,
    created character varying(40) NOT NULL,
    machine character varying(64) NOT NULL,
    library character varying(40) NOT NULL,
    version character varying(40) NOT NULL,
    threads integer NOT NULL,
    content json NOT NULL,
    checksum character varying(64)
);
CREATE SEQUENCE public.profiles_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.profiles_id_seq OWNED BY public.profiles.id;
CREATE TABLE public.samples (
    id integer NOT NULL,
    created character varying(40) NOT NULL,
    environment_id integer NOT NULL,
    job_id integer NOT NULL,
    campaign character varying(200) NOT NULL,
    number integer NOT NULL,
    "position" integer NOT NULL,
    outcome character varying(20) NOT NULL,
    message text NOT NULL,
    figures json,
    found json,
    arrays bytea,
    checksum character varying(64),
    CONSTRAINT known_sample_outcome CHECK (((outcome)::text = ANY ((ARRAY['measured'::character varying, 'refused'::character varying, 'died'::character varying, 'timed out'::character varying, 'wrong'::character varying])::text[])))
);
CREATE SEQUENCE public.samples_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.samples_id_seq OWNED BY public.samples.id;
CREATE TABLE public.sampling_jobs (
    id integer NOT NULL,
    key character varying(64) NOT NULL,
    library character varying(40) NOT NULL,
    scheme character varying(40) NOT NULL,
    content json NOT NULL,
    checksum character varying(64)
);
CREATE SEQUENCE public.sampling_jobs_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.sampling_jobs_id_seq OWNED BY public.sampling_jobs.id;
CREATE TABLE public.set_aside (
    id integer NOT NULL,
    created character varying(40) NOT NULL,
    table_name character varying(40) NOT NULL,
    row_id integer NOT NULL,
    reason text NOT NULL
);
CREATE SEQUENCE public.set_aside_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.set_aside_id_seq OWNED BY public.set_aside.id;
CREATE TABLE public.trials (
    id integer NOT NULL,
    created character varying(40) NOT NULL,
    environment_id integer NOT NULL,
    trial character varying(400) NOT NULL,
    number integer NOT NULL,
    content json NOT NULL,
    checksum character varying(64)
);
CREATE SEQUENCE public.trials_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trials_id_seq OWNED BY public.trials.id;
ALTER TABLE ONLY public.attempts ALTER COLUMN id SET DEFAULT nextval('public.attempts_id_seq'::regclass);
ALTER TABLE ONLY public.environments ALTER COLUMN id SET DEFAULT nextval('public.environments_id_seq'::regclass);
ALTER TABLE ONLY public.explorations ALTER COLUMN id SET DEFAULT nextval('public.explorations_id_seq'::regclass);
ALTER TABLE ONLY public.measurements ALTER COLUMN id SET DEFAULT nextval('public.measurements_id_seq'::regclass);
ALTER TABLE ONLY public.profiles ALTER COLUMN id SET DEFAULT nextval('public.profiles_id_seq'::regclass);
ALTER TABLE ONLY public.samples ALTER COLUMN id SET DEFAULT nextval('public.samples_id_seq'::regclass);
ALTER TABLE ONLY public.sampling_jobs ALTER COLUMN id SET DEFAULT nextval('public.sampling_jobs_id_seq'::regclass);
ALTER TABLE ONLY public.set_aside ALTER COLUMN id SET DEFAULT nextval('public.set_aside_id_seq'::regclass);
ALTER TABLE ONLY public.trials ALTER COLUMN id SET DEFAULT nextval('public.trials_id_seq'::regclass);
INSERT INTO public.contents VALUES ('bbf6a02421bc344e2fed1f6b8dd07e18', '\x789cab562acfa854b28a568a2935304832558aad0500367e0593');
INSERT INTO public.contents VALUES ('b527c0daee4aefda1728892bf4f25aa6', '\x5041523120726f7773');
INSERT INTO public.environments VALUES (1, 'f83c2388b75de23a', '{"machine": "f83c2388b75de23a", "cpu": "Some CPU", "flags": ["avx2"], "library": "seal", "version": "4.4.0", "build": {"compression": "none"}, "threads": 1, "load_before": 0.5, "load_after": 0.6, "commit": null, "seed": 7}', '518f41c78fb0e49361258b31a9ece280');
INSERT INTO public.environments VALUES (2, 'f83c2388b75de23a', '{"machine": "f83c2388b75de23a", "cpu": "Some CPU", "flags": ["avx2"], "library": "seal", "version": "4.4.0", "build": {"compression": "none"}, "threads": 1, "load_before": 0.5, "load_after": 0.6, "commit": null, "seed": 7}', '518f41c78fb0e49361258b31a9ece280');
INSERT INTO public.environments VALUES (3, 'f83c2388b75de23a', '{"machine": "f83c2388b75de23a", "cpu": "Some CPU", "flags": ["avx2"], "library": "seal", "version": "4.4.0", "build": {"compression": "none"}, "threads": 1, "load_before": 0.5, "load_after": 0.6, "commit": null, "seed": 7}', '518f41c78fb0e49361258b31a9ece280');
INSERT INTO public.environments VALUES (4, 'f83c2388b75de23a', '{"machine": "f83c2388b75de23a", "cpu": "Some CPU", "flags": ["avx2"], "library": "seal", "version": "4.4.0", "build": {"compression": "none"}, "threads": 1, "load_before": 0.5, "load_after": 0.6, "commit": null, "seed": 7}', '518f41c78fb0e49361258b31a9ece280');
INSERT INTO public.environments VALUES (5, 'f83c2388b75de23a', '{"machine": "f83c2388b75de23a", "cpu": "Some CPU", "flags": ["avx2"], "library": "seal", "version": "4.4.0", "build": {"compression": "none"}, "threads": 1, "load_before": 0.5, "load_after": 0.6, "commit": null, "seed": 7}', '518f41c78fb0e49361258b31a9ece280');
INSERT INTO public.environments VALUES (6, 'f83c2388b75de23a', '{"machine": "f83c2388b75de23a", "cpu": "Some CPU", "flags": ["avx2"], "library": "seal", "version": "4.4.0", "build": {"compression": "none"}, "threads": 1, "load_before": 0.5, "load_after": 0.6, "commit": null, "seed": 7}', '518f41c78fb0e49361258b31a9ece280');
INSERT INTO public.explorations VALUES (1, '2026-11-25T04:24:18.292+00:00', 4, 'std_dev', 'c0', '{"security": 128}', '{"shared": "bbf6a02421bc344e2fed1f6b8dd07e18", "own": {"seconds": 1.5}}', '\x6b6570743a6235323763306461656534616566646131373238383932626634663235616136', 'f66bec80773efa0dd8a6d93c311cf0cb');
INSERT INTO public.explorations VALUES (2, '2026-11-25T04:24:18.296+00:00', 5, 'std_dev', 'c0', '{"security": 128}', '{"shared": "bbf6a02421bc344e2fed1f6b8dd07e18", "own": {"seconds": 2.5}}', '\x6b6570743a6235323763306461656534616566646131373238383932626634663235616136', '49c1fb9d2eca747bfcce736e3b1f0296');
INSERT INTO public.fheasible_schema VALUES (2);
INSERT INTO public.measurements VALUES (1, '2026-11-25T04:24:18.279+00:00', 1, 'std_dev', 'abababababababababababababababababababababababababababababababab', 'seal', 'ckks', '{"depth": 3, "prime_bits": [60, 40, 40]}', '{"ring_dimension": 8192, "q": ["1152921504606830593"]}', '{"cpu_seconds": {"total": 1.5}}', '{"cpu_seconds": {"total": {"samples": [1.4, 1.6], "min": 1.4}}, "peak_bytes": 2147483648}', 'measured', '', '0e02523f6fe273108ee202b076987052');
INSERT INTO public.profiles VALUES (1, '2026-11-25T04:24:18.302+00:00', 'ab12', 'seal', '4.4.0', 1, '{"prices": [1e-09]}', '4e563e5e6473591d64cc0c61d4c9cde2');
INSERT INTO public.samples VALUES (1, '2026-11-25T04:24:18.284+00:00', 2, 1, 'calibration', 1, 3, 'measured', '', '{"memory": {"peak_bytes": 2147483648}}', '{"bits": 19.5}', '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', 'be028bc068c16a7d54b7c55d8603355e');
INSERT INTO public.samples VALUES (2, '2026-11-25T04:24:18.289+00:00', 3, 1, 'calibration', 2, 3, 'measured', '', '{"memory": {"peak_bytes": 2147483648}}', '{"bits": 19.5}', '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', '411b8024708b9da1bf57224506ca7097');
INSERT INTO public.sampling_jobs VALUES (1, 'abababababababababababababababab', 'seal', 'ckks', '{"program": {"slots": 4}, "q": ["1152921504606830593"]}', 'd9699471e6b35d01eddec77306b74291');
INSERT INTO public.trials VALUES (1, '2026-11-25T04:24:18.299+00:00', 6, 'seed 1', 4, '{"steps": [1, 2]}', 'fe4aa1f3a07a9328fb103cd3214efc36');
SELECT pg_catalog.setval('public.attempts_id_seq', 1, false);
SELECT pg_catalog.setval('public.environments_id_seq', 6, true);
SELECT pg_catalog.setval('public.explorations_id_seq', 2, true);
SELECT pg_catalog.setval('public.measurements_id_seq', 1, true);
SELECT pg_catalog.setval('public.profiles_id_seq', 1, true);
SELECT pg_catalog.setval('public.samples_id_seq', 2, true);
SELECT pg_catalog.setval('public.sampling_jobs_id_seq', 1, true);
SELECT pg_catalog.setval('public.set_aside_id_seq', 1, false);
SELECT pg_catalog.setval('public.trials_id_seq', 1, true);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.contents
    ADD CONSTRAINT contents_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.environments
    ADD CONSTRAINT environments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.explorations
    ADD CONSTRAINT explorations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.fheasible_schema
    ADD CONSTRAINT fheasible_schema_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.measurements
    ADD CONSTRAINT measurements_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.samples
    ADD CONSTRAINT samples_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sampling_jobs
    ADD CONSTRAINT sampling_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.set_aside
    ADD CONSTRAINT set_aside_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.trials
    ADD CONSTRAINT trials_pkey PRIMARY KEY (id);
CREATE INDEX explorations_by_app ON public.explorations USING btree (app, circuit);
CREATE INDEX measurements_by_app ON public.measurements USING btree (app, library, scheme);
CREATE INDEX profiles_by_machine ON public.profiles USING btree (machine, library, version, threads);
CREATE INDEX samples_by_campaign ON public.samples USING btree (campaign, number);
CREATE INDEX sampling_jobs_by_key ON public.sampling_jobs USING btree (key);
CREATE INDEX trials_by_name ON public.trials USING btree (trial, number);
ALTER TABLE ONLY public.explorations
    ADD CONSTRAINT explorations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES public.environments(id);
ALTER TABLE ONLY public.measurements
    ADD CONSTRAINT measurements_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES public.environments(id);
ALTER TABLE ONLY public.samples
    ADD CONSTRAINT samples_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES public.environments(id);
ALTER TABLE ONLY public.samples
    ADD CONSTRAINT samples_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.sampling_jobs(id);
ALTER TABLE ONLY public.trials
    ADD CONSTRAINT trials_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES public.environments(id);
