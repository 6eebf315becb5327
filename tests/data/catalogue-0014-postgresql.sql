CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.batch (
    id bigint NOT NULL,
    provenance_id integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    rows integer NOT NULL,
    seal bigint NOT NULL
);
CREATE SEQUENCE public.batch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.batch_id_seq OWNED BY public.batch.id;
CREATE TABLE public.block (
    ruleset_id integer NOT NULL,
    dealing_id integer NOT NULL,
    block bigint NOT NULL,
    solver_id integer NOT NULL,
    attempted integer NOT NULL,
    won integer NOT NULL,
    lost integer NOT NULL,
    unwinnable integer NOT NULL,
    gave_up integer NOT NULL,
    nodes bigint NOT NULL,
    cpu_us bigint NOT NULL,
    provenance json NOT NULL,
    checksum bigint NOT NULL,
    columns bytea NOT NULL,
    rowed integer NOT NULL
);
CREATE TABLE public.bound (
    id bigint CONSTRAINT bound_id_not_null1 NOT NULL,
    ruleset_id integer CONSTRAINT bound_ruleset_id_not_null1 NOT NULL,
    dealer character varying(40) CONSTRAINT bound_dealer_not_null1 NOT NULL,
    first_seed bigint CONSTRAINT bound_first_seed_not_null1 NOT NULL,
    n bigint CONSTRAINT bound_n_not_null1 NOT NULL,
    winnable bigint CONSTRAINT bound_winnable_not_null1 NOT NULL,
    unwinnable bigint CONSTRAINT bound_unwinnable_not_null1 NOT NULL,
    job_id integer,
    created_at timestamp with time zone NOT NULL,
    seal bigint NOT NULL
);
CREATE SEQUENCE public.bound_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.bound_id_seq OWNED BY public.bound.id;
CREATE TABLE public.dead_end (
    ruleset_id integer CONSTRAINT dead_end_ruleset_id_not_null1 NOT NULL,
    solver_id integer CONSTRAINT dead_end_solver_id_not_null1 NOT NULL,
    deal_id bigint CONSTRAINT dead_end_deal_id_not_null1 NOT NULL,
    kind character varying(40) CONSTRAINT dead_end_kind_not_null1 NOT NULL,
    witness character varying(200) CONSTRAINT dead_end_witness_not_null1 NOT NULL
);
CREATE TABLE public.deal (
    id bigint CONSTRAINT deal_id_not_null1 NOT NULL,
    dealing_id integer NOT NULL,
    seed bigint,
    digest bytea CONSTRAINT deal_digest_not_null1 NOT NULL,
    cards bytea
);
CREATE SEQUENCE public.deal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.deal_id_seq OWNED BY public.deal.id;
CREATE TABLE public.dealing (
    id integer NOT NULL,
    game character varying(120) NOT NULL,
    dealer character varying(40) NOT NULL
);
CREATE SEQUENCE public.dealing_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.dealing_id_seq OWNED BY public.dealing.id;
CREATE TABLE public.difficulty (
    ruleset_id integer NOT NULL,
    dealer character varying(40) NOT NULL,
    first_seed bigint NOT NULL,
    deals bigint NOT NULL,
    fitted integer NOT NULL,
    features_version integer NOT NULL,
    players json NOT NULL,
    features json NOT NULL,
    spread double precision NOT NULL,
    limits json NOT NULL,
    validation json NOT NULL,
    provenance_id integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    seal bigint NOT NULL
);
CREATE TABLE public.features (
    ruleset_id integer NOT NULL,
    dealing_id integer NOT NULL,
    seed bigint NOT NULL,
    solver_id integer NOT NULL,
    version integer NOT NULL,
    nodes bigint NOT NULL,
    length integer NOT NULL,
    plays integer NOT NULL,
    winning integer NOT NULL,
    choices integer NOT NULL,
    critical integer NOT NULL,
    first_critical integer,
    walk_choices double precision NOT NULL,
    walk_critical double precision NOT NULL,
    luck double precision NOT NULL,
    needs character varying(80) NOT NULL,
    unsure character varying(80) NOT NULL,
    batch_id bigint NOT NULL,
    difficulty double precision,
    deviation double precision,
    level integer,
    games integer,
    luck_error double precision
);
CREATE TABLE public.job (
    id integer CONSTRAINT job_id_not_null1 NOT NULL,
    kind character varying(10) CONSTRAINT job_kind_not_null1 NOT NULL,
    ruleset_id integer CONSTRAINT job_ruleset_id_not_null1 NOT NULL,
    dealer character varying(40) CONSTRAINT job_dealer_not_null1 NOT NULL,
    first_seed bigint CONSTRAINT job_first_seed_not_null1 NOT NULL,
    deals bigint CONSTRAINT job_deals_not_null1 NOT NULL,
    keep character varying(10) NOT NULL,
    priority integer NOT NULL,
    until json NOT NULL,
    state character varying(10) CONSTRAINT job_state_not_null1 NOT NULL,
    total bigint CONSTRAINT job_total_not_null1 NOT NULL,
    done bigint CONSTRAINT job_done_not_null1 NOT NULL,
    next_seed bigint NOT NULL,
    cpu_ms double precision NOT NULL,
    rate double precision,
    error text,
    created_at timestamp with time zone CONSTRAINT job_created_at_not_null1 NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    seal bigint NOT NULL,
    inferred bigint
);
CREATE SEQUENCE public.job_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.job_id_seq OWNED BY public.job.id;
CREATE TABLE public.job_solver (
    job_id integer CONSTRAINT job_solver_job_id_not_null1 NOT NULL,
    place integer CONSTRAINT job_solver_place_not_null1 NOT NULL,
    solver_id integer CONSTRAINT job_solver_solver_id_not_null1 NOT NULL
);
CREATE TABLE public.ledger (
    kind character varying(20) NOT NULL,
    rows bigint NOT NULL,
    total bigint NOT NULL,
    seal bigint NOT NULL
);
CREATE TABLE public.outcome (
    ruleset_id integer CONSTRAINT outcome_ruleset_id_not_null1 NOT NULL,
    solver_id integer CONSTRAINT outcome_solver_id_not_null1 NOT NULL,
    deal_id bigint CONSTRAINT outcome_deal_id_not_null1 NOT NULL,
    result character varying(10) CONSTRAINT outcome_result_not_null1 NOT NULL,
    nodes bigint CONSTRAINT outcome_nodes_not_null1 NOT NULL,
    cpu_us bigint,
    batch_id bigint NOT NULL
);
CREATE TABLE public.provenance (
    id integer NOT NULL,
    program character varying(40) NOT NULL,
    revision character varying(40) NOT NULL,
    python character varying(20) NOT NULL,
    numba character varying(20) NOT NULL,
    processor character varying(120) NOT NULL,
    machine character varying(80) NOT NULL,
    clock integer NOT NULL
);
CREATE SEQUENCE public.provenance_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.provenance_id_seq OWNED BY public.provenance.id;
CREATE TABLE public.regret (
    ruleset_id integer CONSTRAINT regret_ruleset_id_not_null1 NOT NULL,
    solver_id integer CONSTRAINT regret_solver_id_not_null1 NOT NULL,
    deal_id bigint CONSTRAINT regret_deal_id_not_null1 NOT NULL,
    kind character varying(10) CONSTRAINT regret_kind_not_null1 NOT NULL,
    step integer,
    action character varying(20),
    length integer CONSTRAINT regret_length_not_null1 NOT NULL,
    moves bytea CONSTRAINT regret_moves_not_null1 NOT NULL,
    reference_version integer NOT NULL,
    reference character varying(60) CONSTRAINT regret_reference_not_null1 NOT NULL,
    batch_id bigint NOT NULL
);
CREATE TABLE public.ruleset (
    id integer NOT NULL,
    slug character varying(120) NOT NULL,
    game character varying(120) NOT NULL,
    options json NOT NULL
);
CREATE SEQUENCE public.ruleset_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.ruleset_id_seq OWNED BY public.ruleset.id;
CREATE TABLE public.runner (
    id integer NOT NULL,
    name character varying(120) NOT NULL,
    provenance_id integer,
    workers integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    heartbeat timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.runner_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.runner_id_seq OWNED BY public.runner.id;
CREATE TABLE public.seal (
    kind character varying(20) NOT NULL,
    row_id integer NOT NULL,
    seal bigint NOT NULL
);
CREATE TABLE public.shard (
    id bigint NOT NULL,
    job_id integer NOT NULL,
    first_seed bigint NOT NULL,
    deals integer NOT NULL,
    state character varying(10) NOT NULL,
    runner_id integer,
    attempts integer NOT NULL,
    claimed_at timestamp with time zone,
    error text
);
CREATE SEQUENCE public.shard_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.shard_id_seq OWNED BY public.shard.id;
CREATE TABLE public.solution (
    ruleset_id integer CONSTRAINT solution_ruleset_id_not_null1 NOT NULL,
    solver_id integer CONSTRAINT solution_solver_id_not_null1 NOT NULL,
    deal_id bigint CONSTRAINT solution_deal_id_not_null1 NOT NULL,
    length integer CONSTRAINT solution_length_not_null1 NOT NULL,
    moves bytea CONSTRAINT solution_moves_not_null1 NOT NULL
);
CREATE TABLE public.solver (
    id integer NOT NULL,
    name character varying(200) NOT NULL,
    version integer NOT NULL,
    method character varying(60) NOT NULL,
    parameters json NOT NULL,
    grades boolean NOT NULL
);
CREATE SEQUENCE public.solver_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.solver_id_seq OWNED BY public.solver.id;
CREATE TABLE public.status_block (
    ruleset_id integer NOT NULL,
    dealing_id integer NOT NULL,
    block bigint NOT NULL,
    deals integer NOT NULL,
    winnable integer NOT NULL,
    unwinnable integer NOT NULL,
    alarms integer NOT NULL,
    cells bytea NOT NULL,
    follows bytea,
    checksum bigint
);
CREATE TABLE public.verification (
    id integer NOT NULL,
    state character varying(10) NOT NULL,
    options json NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    progress json NOT NULL,
    checked json NOT NULL,
    faults integer NOT NULL,
    findings json NOT NULL
);
CREATE SEQUENCE public.verification_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.verification_id_seq OWNED BY public.verification.id;
ALTER TABLE ONLY public.batch ALTER COLUMN id SET DEFAULT nextval('public.batch_id_seq'::regclass);
ALTER TABLE ONLY public.bound ALTER COLUMN id SET DEFAULT nextval('public.bound_id_seq'::regclass);
ALTER TABLE ONLY public.deal ALTER COLUMN id SET DEFAULT nextval('public.deal_id_seq'::regclass);
ALTER TABLE ONLY public.dealing ALTER COLUMN id SET DEFAULT nextval('public.dealing_id_seq'::regclass);
ALTER TABLE ONLY public.job ALTER COLUMN id SET DEFAULT nextval('public.job_id_seq'::regclass);
ALTER TABLE ONLY public.provenance ALTER COLUMN id SET DEFAULT nextval('public.provenance_id_seq'::regclass);
ALTER TABLE ONLY public.ruleset ALTER COLUMN id SET DEFAULT nextval('public.ruleset_id_seq'::regclass);
ALTER TABLE ONLY public.runner ALTER COLUMN id SET DEFAULT nextval('public.runner_id_seq'::regclass);
ALTER TABLE ONLY public.shard ALTER COLUMN id SET DEFAULT nextval('public.shard_id_seq'::regclass);
ALTER TABLE ONLY public.solver ALTER COLUMN id SET DEFAULT nextval('public.solver_id_seq'::regclass);
ALTER TABLE ONLY public.verification ALTER COLUMN id SET DEFAULT nextval('public.verification_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0014');
INSERT INTO public.batch VALUES (1, 1, '2026-11-23 00:46:29.356357+00', 6, -6577777509936674665);
INSERT INTO public.batch VALUES (2, 1, '2026-11-23 00:46:29.578352+00', 10, -3666802944809341072);
INSERT INTO public.batch VALUES (3, 1, '2026-11-23 00:46:29.710553+00', 6, -8821191227410579491);
INSERT INTO public.batch VALUES (4, 1, '2026-11-23 00:46:29.818132+00', 2, -8987521584974365262);
INSERT INTO public.batch VALUES (5, 1, '2026-11-23 00:46:30.495299+00', 3, 2002025734967347528);
INSERT INTO public.batch VALUES (6, 1, '2026-11-23 00:46:30.71579+00', 5, -6277589541417351857);
INSERT INTO public.batch VALUES (7, 1, '2026-11-23 00:46:31.000461+00', 3, 8963783689723552029);
INSERT INTO public.batch VALUES (8, 1, '2026-11-23 00:46:31.239961+00', 1, 2012912436367978293);
INSERT INTO public.batch VALUES (9, 1, '2026-11-23 00:46:32.371702+00', 3, 2445634536601130193);
INSERT INTO public.batch VALUES (10, 1, '2026-11-23 00:46:32.39612+00', 2, 2687778823936571844);
INSERT INTO public.batch VALUES (11, 1, '2026-11-23 00:46:32.422061+00', 1, 7411085262653853489);
INSERT INTO public.batch VALUES (12, 1, '2026-11-23 00:46:32.730667+00', 1, -2377582181670010267);
INSERT INTO public.batch VALUES (13, 2, '2026-11-23 14:02:23.120566+00', 5, 7341908491663936385);
INSERT INTO public.batch VALUES (14, 2, '2026-11-23 14:02:23.509998+00', 2, -5289674381432610652);
INSERT INTO public.batch VALUES (15, 2, '2026-11-23 14:02:23.75887+00', 1, -4268033204685357149);
INSERT INTO public.batch VALUES (16, 2, '2026-11-23 14:02:23.769146+00', 1, 7677056233316903813);
INSERT INTO public.block VALUES (1, 1, 0, 1, 12, 9, 0, 3, 0, 116099, 14247, '[[0, 3, 1, "2026-11-23T00:46:29.356357+00:00"], [3, 5, 1, "2026-11-23T00:46:29.578352+00:00"], [8, 3, 1, "2026-11-23T00:46:29.710553+00:00"], [11, 1, 1, "2026-11-23T00:46:29.818132+00:00"]]', 2752400711, '\x017b226465707468223a2265766572797468696e67222c226669727374223a302c226465616c73223a31322c226b696e6473223a5b5d7d0a28b52ffd6038009d0200e4030103010303010100e477407335d4ad3c0101522f1215000012880073007a7f7f7a78910000717b001be059ba2afbfb607bbfebf40d110101040b000000000700ee67d010c0f407672475403002b0770137', 12);
INSERT INTO public.block VALUES (1, 1, 0, 2, 12, 2, 10, 0, 0, 393, 1271, '[[0, 3, 1, "2026-11-23T00:46:29.356357+00:00"], [3, 5, 1, "2026-11-23T00:46:29.578352+00:00"], [8, 3, 1, "2026-11-23T00:46:29.710553+00:00"], [11, 1, 1, "2026-11-23T00:46:29.818132+00:00"]]', 4191268579, '\x017b226465707468223a2265766572797468696e67222c226669727374223a302c226465616c73223a31322c226b696e6473223a5b5d7d0a28b52ffd6038008d0100340201020102004c15542f190e281c0b09161000a4009b00fa528dc6271b59285c9054550005100030fd9c08986f189105', 12);
INSERT INTO public.block VALUES (2, 2, 0, 3, 12, 7, 5, 0, 0, 3464, 1032, '[[0, 3, 1, "2026-11-23T00:46:30.495299+00:00"], [3, 5, 1, "2026-11-23T00:46:30.715790+00:00"], [8, 3, 1, "2026-11-23T00:46:31.000461+00:00"], [11, 1, 1, "2026-11-23T00:46:31.239961+00:00"]]', 3133211172, '\x017b226465707468223a2265766572797468696e67222c226669727374223a302c226465616c73223a31322c226b696e6473223a5b5d7d0a28b52ffd603800250200b40202020102020102002b2b1c11201c23112b2b142b010000001400000000005735384c394e5936b6565a7c0009006080ba024d27068401d7180630802e103f885a0043', 12);
INSERT INTO public.bound VALUES (1, 1, 'thoughtful-1', 0, 3, 2, 1, 1, '2026-11-23 00:46:29.485871+00', -5697998994377156170);
INSERT INTO public.bound VALUES (2, 1, 'thoughtful-1', 0, 12, 9, 3, 1, '2026-11-23 00:46:29.835813+00', 4250925862457081158);
INSERT INTO public.bound VALUES (3, 2, 'thoughtful-1', 0, 3, 1, 0, 2, '2026-11-23 00:46:30.524842+00', 4205405939410835461);
INSERT INTO public.bound VALUES (4, 2, 'thoughtful-1', 0, 12, 7, 0, 2, '2026-11-23 00:46:31.305864+00', -742122462642720305);
INSERT INTO public.deal VALUES (1, 1, 0, '\x7d51204a1f0981137de1faf4f5b629eb', NULL);
INSERT INTO public.deal VALUES (2, 1, 1, '\x3ce9f5a80c80268f40f39037bf7ec26f', NULL);
INSERT INTO public.deal VALUES (3, 1, 2, '\xe48ed2012bd1297da2790e7dd76e2a20', NULL);
INSERT INTO public.deal VALUES (4, 1, 3, '\x5386a052a5b4fa9cea2628e70eb90c60', NULL);
INSERT INTO public.deal VALUES (5, 1, 4, '\x7c3d89b88dd275027fcd1867d5b114f8', NULL);
INSERT INTO public.deal VALUES (6, 1, 5, '\x60a7ffe9b6c268e98b8d870ad695feac', NULL);
INSERT INTO public.deal VALUES (7, 1, 6, '\x1e25a53cf4fc0d3e9837981094776d4d', NULL);
INSERT INTO public.deal VALUES (8, 1, 7, '\xd0e68e117e40468cea4e9d0b8c36f6f7', NULL);
INSERT INTO public.deal VALUES (9, 1, 8, '\x232ab3c246aba551a9d9456a2635078f', NULL);
INSERT INTO public.deal VALUES (10, 1, 9, '\x7d19c8509dc600dc961dfdae3cde9e85', NULL);
INSERT INTO public.deal VALUES (11, 1, 10, '\xac8a45814199d2754e6e0eafd8e3bcb7', NULL);
INSERT INTO public.deal VALUES (12, 1, 11, '\x04070ca5f5b6e920af75e22365a9b0ce', NULL);
INSERT INTO public.deal VALUES (13, 2, 0, '\x155724faad4552722f3fd72db9b2f5bd', NULL);
INSERT INTO public.deal VALUES (14, 2, 1, '\xccf97710d211936057b14a5c08a45bbb', NULL);
INSERT INTO public.deal VALUES (15, 2, 2, '\xb3aff9a14f5849d73b6b502ff2c69612', NULL);
INSERT INTO public.deal VALUES (16, 2, 3, '\x8101e274f7cd69e94f0c003cf50e3136', NULL);
INSERT INTO public.deal VALUES (17, 2, 4, '\x87a1153bcce95eceba8de1752fd10995', NULL);
INSERT INTO public.deal VALUES (18, 2, 5, '\xbc188c293a822de5d1c0f0898641bad3', NULL);
INSERT INTO public.deal VALUES (19, 2, 6, '\x179426058d42a8613d4d4cabdd6d935a', NULL);
INSERT INTO public.deal VALUES (20, 2, 7, '\xa75683d11b0a47da325d1d093b07388b', NULL);
INSERT INTO public.deal VALUES (21, 2, 8, '\x3d0a972d6f2eca81e3ef8a5344d11ee7', NULL);
INSERT INTO public.deal VALUES (22, 2, 9, '\xc97f315f329b2b8373da092fc52c4471', NULL);
INSERT INTO public.deal VALUES (23, 2, 10, '\xcf5840531eb41f993955e51c7c5efc6b', NULL);
INSERT INTO public.deal VALUES (24, 2, 11, '\xb442d35b9373932203fd4d7739fc71bd', NULL);
INSERT INTO public.dealing VALUES (1, 'klondike', 'thoughtful-1');
INSERT INTO public.dealing VALUES (2, 'spider', 'thoughtful-1');
INSERT INTO public.difficulty VALUES (1, 'thoughtful-1', 0, 12, 12, 1, '[{"name": "greedy", "version": 1, "ability": -2.0, "error": 0.3, "played": 12, "won": 2}]', '[{"name": "log nodes", "center": 4.0, "weight": 0.2}, {"name": "length", "center": 120.0, "weight": 0.01}, {"name": "walk choices", "center": 9.0, "weight": 0.02}, {"name": "log of walk choices", "center": 2.0, "weight": 0.1}, {"name": "luck", "center": 6.0, "weight": 0.3}, {"name": "root of luck", "center": 2.4, "weight": 0.2}, {"name": "square of luck", "center": 40.0, "weight": -0.01}]', 0.9, '[-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]', '{"deals": 12, "level": 0.95, "likelihood": -50.0, "explained": 0.5}', 2, '2026-11-01 00:00:00+00', -1347423342283550733);
INSERT INTO public.features VALUES (1, 1, 0, 1, 1, 4836, 115, 217, 208, 9, 0, NULL, 6.625, 0.6875, 3.801738103475456, '', '', 13, -0.34745900413109815, 0.8536990995351775, 5, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 2, 1, 1, 64, 122, 168, 166, 2, 0, NULL, 13.25, 4.75, 3.958489189331888, '', '', 13, -0.8424077865273734, 0.8430914677610971, 4, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 3, 1, 1, 115, 127, 171, 167, 4, 0, NULL, 9.75, 2.9375, 2.163212786702233, '', '', 13, -0.5359827939973482, 0.8495317089773062, 4, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 4, 1, 1, 4661, 127, 148, 135, 11, 3, 65, 17.0625, 5.6875, 6.300825738999819, '', '', 13, 1.3629007941680467, 0.8850597795230418, 8, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 5, 1, 1, 35028, 122, 195, 168, 16, 4, 6, 15.1875, 5.5625, 10.354807499566363, '', '', 13, 2.328026414260651, 0.8935000890261812, 10, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 6, 1, 1, 173, 120, 209, 206, 2, 0, NULL, 6.1875, 1.125, 1.0531623760469722, '', '', 14, -0.9644553446603881, 0.8407317141852463, 4, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 7, 1, 1, 60, 145, 194, 191, 3, 2, 9, 7.875, 2.75, 2.0473133706568376, '', '', 14, -0.5757363279971441, 0.8486662981422788, 4, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 10, 1, 1, 82, 113, 177, 173, 4, 2, 34, 6.8125, 2.6875, 2.849734026383041, '', '', 15, -0.6100647615561322, 0.8479245100686582, 4, 1, NULL);
INSERT INTO public.features VALUES (1, 1, 11, 1, 1, 47, 123, 168, 166, 1, 0, NULL, 6.9375, 1.625, 2.2721696546996415, '', '', 16, -0.7754193047860103, 0.8444451072743016, 4, 1, NULL);
INSERT INTO public.job VALUES (3, 'regrets', 1, 'thoughtful-1', 0, 12, 'everything', 0, '{}', 'done', 7, 7, 12, 43.661782, NULL, NULL, '2026-11-23 00:46:31.420614+00', '2026-11-23 00:46:31.72399+00', '2026-11-23 00:46:32.798226+00', -8431905648435883938, NULL);
INSERT INTO public.job VALUES (1, 'outcomes', 1, 'thoughtful-1', 0, 12, 'everything', 0, '{}', 'done', 24, 24, 12, 27.762067000000005, NULL, NULL, '2026-11-23 00:46:28.687905+00', '2026-11-23 00:46:28.821857+00', '2026-11-23 00:46:29.853008+00', -4230554410133358419, NULL);
INSERT INTO public.job VALUES (2, 'outcomes', 2, 'thoughtful-1', 0, 12, 'everything', 0, '{}', 'done', 12, 12, 12, 10.018826999999995, NULL, NULL, '2026-11-23 00:46:29.949507+00', '2026-11-23 00:46:30.186282+00', '2026-11-23 00:46:31.335112+00', 5222646436143601132, NULL);
INSERT INTO public.job VALUES (4, 'features', 1, 'thoughtful-1', 0, 12, 'everything', 0, '{}', 'done', 9, 9, 12, 3128.355786, NULL, NULL, '2026-11-23 14:02:07.836514+00', '2026-11-23 14:02:15.778043+00', '2026-11-23 14:02:23.794687+00', -4029914786038102956, NULL);
INSERT INTO public.job_solver VALUES (1, 0, 1);
INSERT INTO public.job_solver VALUES (1, 1, 2);
INSERT INTO public.job_solver VALUES (2, 0, 3);
INSERT INTO public.job_solver VALUES (3, 0, 2);
INSERT INTO public.job_solver VALUES (4, 0, 1);
INSERT INTO public.ledger VALUES ('deal', 0, 0, -1062703064156885220);
INSERT INTO public.ledger VALUES ('batch', 16, -258547026440240821, 2510692263927767900);
INSERT INTO public.ledger VALUES ('block', 3, -437465969595308570, -2051779176901429481);
INSERT INTO public.ledger VALUES ('difficulty', 1, 6782178724098299664, 265891014539967463);
INSERT INTO public.ledger VALUES ('job', 4, -5077230886788317745, 1352972082432833212);
INSERT INTO public.ledger VALUES ('bound', 4, 8259258285155651777, -5057236627603984545);
INSERT INTO public.ledger VALUES ('verification', 0, 0, -7330262647413102779);
INSERT INTO public.outcome VALUES (1, 1, 1, 'won', 4836, 3355, 1);
INSERT INTO public.outcome VALUES (1, 1, 2, 'unwinnable', 71031, 4576, 1);
INSERT INTO public.outcome VALUES (1, 1, 3, 'won', 64, 345, 1);
INSERT INTO public.outcome VALUES (1, 2, 1, 'won', 76, 250, 1);
INSERT INTO public.outcome VALUES (1, 2, 2, 'lost', 21, 82, 1);
INSERT INTO public.outcome VALUES (1, 2, 3, 'won', 84, 141, 1);
INSERT INTO public.outcome VALUES (1, 1, 4, 'won', 115, 442, 2);
INSERT INTO public.outcome VALUES (1, 1, 5, 'won', 4661, 1066, 2);
INSERT INTO public.outcome VALUES (1, 1, 6, 'won', 35028, 3067, 2);
INSERT INTO public.outcome VALUES (1, 1, 7, 'won', 173, 251, 2);
INSERT INTO public.outcome VALUES (1, 1, 8, 'won', 60, 96, 2);
INSERT INTO public.outcome VALUES (1, 2, 4, 'lost', 47, 198, 2);
INSERT INTO public.outcome VALUES (1, 2, 5, 'lost', 25, 39, 2);
INSERT INTO public.outcome VALUES (1, 2, 6, 'lost', 14, 27, 2);
INSERT INTO public.outcome VALUES (1, 2, 7, 'lost', 40, 89, 2);
INSERT INTO public.outcome VALUES (1, 2, 8, 'lost', 28, 40, 2);
INSERT INTO public.outcome VALUES (1, 1, 9, 'unwinnable', 1, 123, 3);
INSERT INTO public.outcome VALUES (1, 1, 10, 'unwinnable', 1, 447, 3);
INSERT INTO public.outcome VALUES (1, 1, 11, 'won', 82, 235, 3);
INSERT INTO public.outcome VALUES (1, 2, 9, 'lost', 11, 92, 3);
INSERT INTO public.outcome VALUES (1, 2, 10, 'lost', 9, 144, 3);
INSERT INTO public.outcome VALUES (1, 2, 11, 'lost', 22, 84, 3);
INSERT INTO public.outcome VALUES (1, 1, 12, 'won', 47, 244, 4);
INSERT INTO public.outcome VALUES (1, 2, 12, 'lost', 16, 85, 4);
INSERT INTO public.outcome VALUES (2, 3, 13, 'lost', 299, 87, 5);
INSERT INTO public.outcome VALUES (2, 3, 14, 'lost', 299, 53, 5);
INSERT INTO public.outcome VALUES (2, 3, 15, 'won', 284, 56, 5);
INSERT INTO public.outcome VALUES (2, 3, 16, 'won', 273, 76, 6);
INSERT INTO public.outcome VALUES (2, 3, 17, 'won', 288, 57, 6);
INSERT INTO public.outcome VALUES (2, 3, 18, 'won', 284, 78, 6);
INSERT INTO public.outcome VALUES (2, 3, 19, 'won', 291, 89, 6);
INSERT INTO public.outcome VALUES (2, 3, 20, 'won', 273, 54, 6);
INSERT INTO public.outcome VALUES (2, 3, 21, 'lost', 299, 182, 7);
INSERT INTO public.outcome VALUES (2, 3, 22, 'lost', 299, 86, 7);
INSERT INTO public.outcome VALUES (2, 3, 23, 'won', 276, 90, 7);
INSERT INTO public.outcome VALUES (2, 3, 24, 'lost', 299, 124, 8);
INSERT INTO public.provenance VALUES (1, '0.1.0', '12580e32d0ab', '3.11.7', '0.68.1', 'Intel(R) Xeon(R) Processor', 'vm', 1);
INSERT INTO public.provenance VALUES (2, '0.1.0', 'e1f7595b5581', '3.11.7', '0.68.1', 'AMD EPYC', 'vm', 1);
INSERT INTO public.regret VALUES (1, 2, 4, 'move', 68, 'waste-down', 102, '\x0128b52ffd000045020054023b5a460d0d0a043c02100713051608360b19120b3c133b060006340b0e0100000205020a590bfc71c260c0e2df1d0768a4ad65744c44387ec3ca1b259e64aa93cbcbf6420c06', 6, 'exact', 9);
INSERT INTO public.regret VALUES (1, 2, 5, 'move', 74, 'run-reveal', 93, '\x0128b52ffd00007d0100a010023f5c07055231575a01000256000000091b370acc0f8134a4236333bb40ab56eda19eb8a8e52de6d34575609a', 6, 'exact', 9);
INSERT INTO public.regret VALUES (1, 2, 6, 'move', 16, 'waste-down', 48, '\x0128b52ffd0000fd0000338103355a26807777787739d434fa810104fc30136ca94282765673ac4806', 6, 'exact', 9);
INSERT INTO public.regret VALUES (1, 2, 7, 'move', 98, 'waste-up', 139, '\x0128b52ffd00000d0200c8434e49494a0e0d560201010708010000090005360b0a00033010cca1800caa4eda7d1861f0a6eafdc902ec7a7a866d2d3bd665aa53528a8a9e5792706a00f55f', 6, 'exact', 10);
INSERT INTO public.regret VALUES (1, 2, 8, 'move', 91, 'run-reveal', 95, '\x0128b52ffd0000950100b00102104f5b0450470000044a25210c5432104925210c0bfc1fcd88c1a8dc009ffd4e4c437a3fb0aea158ceeff51c60d404', 6, 'exact', 10);
INSERT INTO public.regret VALUES (1, 2, 11, 'move', 68, 'turn', 88, '\x0128b52ffd00005d0100f3c0029eeaee2e771b8697d409070bfc081f3be9489ce4d0d11fb21db55549a3ce6a0fc5c2f35d20d3da03', 6, 'exact', 11);
INSERT INTO public.regret VALUES (1, 2, 12, 'move', 60, 'run-reveal', 63, '\x0128b52ffd00000d010013c102ff2419dbdddd5dceba347307cc418150f40a1097ab193f12ca0051437299', 6, 'exact', 12);
INSERT INTO public.ruleset VALUES (2, 'spider-1', 'spider', '{"suits": 1, "deal_onto_empty": false}');
INSERT INTO public.ruleset VALUES (1, 'klondike-draw3', 'klondike', '{"draw": 3, "redeals": null, "partial_runs": true, "worrying_back": true, "building": "alternating", "spaces": "kings"}');
INSERT INTO public.seal VALUES ('solver', 1, -217488199127892332);
INSERT INTO public.seal VALUES ('solver', 2, -1782981257996361426);
INSERT INTO public.seal VALUES ('dealing', 1, -3776549370878959070);
INSERT INTO public.seal VALUES ('ruleset', 2, -6377888522191923373);
INSERT INTO public.seal VALUES ('solver', 3, 3577318768277553957);
INSERT INTO public.seal VALUES ('dealing', 2, -1707347845094562705);
INSERT INTO public.seal VALUES ('ruleset', 1, -6872393847521286998);
INSERT INTO public.seal VALUES ('provenance', 1, -8722262761346673526);
INSERT INTO public.seal VALUES ('provenance', 2, 7434610726739737448);
INSERT INTO public.solution VALUES (1, 1, 1, 115, '\x0128b52ffd000015020093c206cd889aca78d9d9d9d6237efa23099561202b2d980c88bb4944c4030dfc67bb5875e3ab4f0da21c58452a20be262b33cca6186fa5a0aa1a08bdd47c1c36708e');
INSERT INTO public.solution VALUES (1, 1, 3, 122, '\x0128b52ffd00005d02003383089fee9aaedf99ed991bbbfb730a4a16d23181ecc9be6e26720fe8b22c0d2fc4d438050dfcd1e3804e1c8f2f15db01583ab1071a4e6691b3c296a002fe3fdbc8f2e95bcc0edf2b4201');
INSERT INTO public.solution VALUES (1, 2, 1, 164, '\x0128b52ffd00007d0200b34207f9cdff881bdef9b6dda5b39784cab6959627551a16d2888064f02e07f211fc3df01142302d91dae0b1fc2c911dfd8e0cd58092f698f83746c5bde966927552c0914628da6860be1cacd50c02');
INSERT INTO public.solution VALUES (1, 2, 3, 155, '\x0128b52ffd0000cd020003c40aae89aeae8e1a03d059bd1fdb7f398544e52ac9421a908174bef5df5bbf646522f78c36cbca606ae08677c110fc393080b4970c1b234364c9b3f52251685c34b776482a48664020aa84f7f7aa6153d86ec8353218a101');
INSERT INTO public.solution VALUES (1, 1, 4, 127, '\x0128b52ffd00007d02001303089bdbbdac9aaa99cb9e7dc9b2348e6c4cf509c33a1c69fea352da65822df3ca290ff8108866db30390494551e5bf32311294a63d5d460d2c61463e3d79231692efc45aef747752dbb8cfec606');
INSERT INTO public.solution VALUES (1, 1, 5, 127, '\x0128b52ffd0000650200238308ab999aeadaee5f521ffda763f6dfdc19cdf02e975308064ca8ecb2164f254223f5010efc3a2a220242b871c597611f6c4255589f663081fff7350b118f2e1ac3c2028dc8730d81470c');
INSERT INTO public.solution VALUES (1, 1, 6, 122, '\x0128b52ffd0000c50200e4020d4b4a3100080207464c4b065350405406084003500f5c485b57594854070d0b300a4a0e420e0d0c020c0e100a020ef08056f741f52bbdd32d8af115a9b17a030b851d21300fcf7ab2bb449a20a27944313616e0c408');
INSERT INTO public.solution VALUES (1, 1, 7, 120, '\x0128b52ffd00007d0200538309cded9e99cfddffa86d8801316a34e6003536fdd47e298caac26d19c54fd44722ee0c2605c3090dfc23370037e975b9c7b046a54e9f0f23391805451e7dd889cc5f9e30cb7e4c9a2813016715');
INSERT INTO public.solution VALUES (1, 1, 8, 145, '\x0128b52ffd0000cd020073430aac9a9e899a894983f17eab95ec7a940dce067b400450dd319d4c00d5f94b49f609a1788a7f3c15aa0610fca3ad0599f519d3e7959bf4724c1ce32138adb789431fff4535b8372b681cbf17053fc2dfd8bb0ebf618102');
INSERT INTO public.solution VALUES (1, 1, 11, 113, '\x0128b52ffd0000350200338308fcaa99ccfffcfc8c5e5d6f56681452b944309d948994891873774a165a271434f9540bfcb90abc5f958cc37969ba65be013cf377883c3463ed922eabd900e9450d2e02');
INSERT INTO public.solution VALUES (1, 1, 12, 123, '\x0128b52ffd0000750200134308dcbb9989fbcafd9a999cee491ba08b2443bcb490aadb544e4eff221146c685cc010ffcd621466e6e325a70a5ec461122c957f1efb703bd011b4c794fc930822a474aa4b5c68eaff53bf71c');
INSERT INTO public.solution VALUES (2, 3, 15, 284, '\x0128b52ffd0000ed0c00121c5320609a5207d3fcff7020ac6684fb88e75cfe6b6207006f845708b6bcf7de499a4258c7dcd80e2d599471d81780396137af24c36222c62635b9c11b2e89df46a8877e0700008a9299af8ee9c45e4051d1435f577dc601edacf93b679672fcb3e5d839cf7f7a794a3fccb9db9776b628c255c7ac465bef3c250697b98837d0f58d434cb1f3ad6f36736737cfa84b53e65c214e74d34ea34a4738e3204b440a9318044559079b68e72343d8c19a374cdb686d2b279db2a553fe79f6d17a069db4a09f56b4da438e1ffdf3cabd7397abd9fb076e9b5909cf964f5343bd299a96999a96d5446f57e386200abe20097ad03345b092ad568387db8e6669560ca223fb892a9ffe1053bea885be4c51038754b8e0e293774b3a4b46c949ce3be9da6ebd7b96243fd9c9b8db57f292db6f2feef9e4ac2549ce2fd735edc2de0292c024d1c11a781d1db553510e3973f4431c3810c80f89c6925ab9693cee22436029c4323bea258d1d4695b8dd5d44a8c380fd26a8bab1ef6d76840cccdfaf754bfbf2d48d7c7c693a37060a858ea755006f64bc288fdb5936f148ecd48411');
INSERT INTO public.solution VALUES (2, 3, 16, 273, '\x0128b52ffd0000250c00121a4b2080585207ff6e0e987bc71ec40ec7ccf371ea6c9097f999e8dc43443791324d3956e8859c15cbab9562e730c1017f68c72daed8029f47ba8914e29d33e518cf19f3ae16949ceb13e4553b3215313a831a0beb9749d12dad7c2335ef1e5ed2449176ac4e821c23336f46f5c01f7748ea8605eee18c2b14e3f1e651961273ca246feeae6092411f7585142e5953acd823ea602d5f2f527554df339c1c852a9c3c3b2a35073c2bc1ed83f4380a4f787996989ff03dca333843aa1c62ad9f4e2c88bef877ad9a367cc10c4e2ce5851abee4c8eba9867cf2c526e470841b768925c7177f782135777f065954cd1b5bccb9f3c903ded8e30f8eccb1292f7fa096933ea004000076c8b5e1947eca5104831ca1abe7539d70456e6aa25c9d576a604e4f09d52abac4d268447a5ae04e1f3810e00768f7c85d888d451e07604bf5399c0dd147701974a7873951b5279d236b41ca2916069de17cc459a6f0cba8e8d7a6ea4d00ed17d20c81b047ea8c32e29f9fa65e8c2029625c45ac031f0bd217324cd60a');
INSERT INTO public.solution VALUES (2, 3, 17, 288, '\x0128b52ffd0000a50c00f35b51f545d64e3d1ebee1add65f24adabf5958a6889c8532f7eed4e7b7763d328cb5a95cada185d20d8daa41da22a0b6dabc26caeca36475b16a5f62cafba2a4b752d6f8f86a93c9b14d26ed9183a1b7beaacb6accaae35aa30f354d7160b2dcf0e9d481b6d8a3dde851fcb0a73427271425388b12f8b432bc21d45097542a41dc3a10d5a15696e4e88a3b215c75d78446f684a884179e1b8312a13be8838e14b3d6dcc268b1c73c9b6ec8e72ac69316cebda9511b63d4b5ba215a21921cf98340a85755d6352e8b21fdb51d69464f9fa22744d536ff7ac0f084eb448ada833dfac1292e1497d2849b8e16ba2659f545c95f986fad08d53aa47ada1b74a6e8667b8fbc2575843999176a96495d9977d4e2dcf48a76c6cd6e3bdddd1249c1926f408eb68b490a83249f81265030d2312891f671df5cf3ff454659e518f4dae7986eaec6e24baf3451a3810d8b5ff1b6540a0a80e2d8a93b1d826d6bd470dcce319e7485e43ae19908132fa1b0e7848b674077974a17c53d4f80db8193ed3342cc58ae930cf66a859807c3a9dcc814fa482d10304');
INSERT INTO public.solution VALUES (2, 3, 18, 284, '\x0128b52ffd00002d0c0042d8472080da5507ef9a46512fc624c4cf706b60918542f3026db74e8c8c2d1b493b255d57676d49c9902a5218b03b0637288b2faa8d19ecb122452235dfa4c247f27471d680b9a4a0aeaa294061495065b2ab446230a3250d80563112abbcc68340ce379797067543cfa8290ba8ae9c2274e1a234f633a61d7552081fac900aa11eb8911aa36a1abbd53bd691a8269c7aed8eddfd8eb5eb76d7cb8a06211cd14b4bf23a778d665147b75cfbc149cf4e7a76ad9e45b698b3c55a398f592fe79272cd63c23e3170938699633facb59303b5c88e4b773a352ba9977eedfa25bcd22eb982be002b720480a49e72e4850be0441beaf692330ebd63934176b0e998770cfaf6d8788ca3379beee08f33fe34bae4866f06b9e1a57ef0939409924a4f8aa4472528101a04cd8433f610a8a7c5621539fc5073f1ac0d393ba043ea050d86978bcc2dd30e8dd6856c3da53f25b8434ce0d376c837f9f1a48a7ec4e0f39da363a6b041ec932ca5942e7e30e6f76634ba0828f9a4ce39881314735666be8c7fc8c58a0101');
INSERT INTO public.solution VALUES (2, 3, 19, 291, '\x0128b52ffd0000250d00435c5397c39031f3a53caa2eef4c92915573cb31a5e2e4e1f592d2a6ae19944257364575a8aa6e7c5e125eacc9fe68478a251a6376f6a23ffbb2e3ca8440f46215daa3e54574677b0e2993d6a36267d6a35431434cddc8db1f4ab238a1c856acc758740a6a52df3d1b3451b8a14cf931c852eab13bbbb11d61cd6a508f4ab4a6dd0941f6627b618ceafc218288b18942903a526d42dd96146957a18cea2c5d99f0648376c3905dd5916a569bbd38b66c7febb3a31e733c445fe6d8d93ce36ccdbe2c44475ab3a993965c9bd0baec982b878c4281429c58ebcd27138532a74ed91c9f8a52c51579684f15b72b3bab3f0bb2a75d1169b5529c33b5b173657b2a6e1c974671f525f63c448d44125ab240a34f154792f3b474735dd77623340951db5262941d943c2477e498b4b92cd7688dc8124d75656f5b21ce3edaa033261a41dea026676c6bd851b8fab4a6d5edd0661e3810b00f107dd4a717962ff3bc04f88168aef3bbdfa448b286a2c44dbe4ab0420a16d3b3b0ee44d77fa95dddf76b26451f982b0e3b02c881ecf0384c9677112a4786e8a3f239c5e3b3cf01700cecbfb2db1704');
INSERT INTO public.solution VALUES (2, 3, 20, 273, '\x0128b52ffd0000650a0013d640a7d1ce882e8b6258d27e095795921faf26da9a5869ce161aa5edb13cbda21c242b9cd59669248dd043e16f0c5283dad6b7313536dec6a021b5116b8be1898ed04a39ead14223cf349586a6fc724cdd5ff674489882a2c69b31656bc69bd2a3ac1953d6636bd6633c1965654de94131e6597a4cd9434d96b739f2e2d7bc70a6a62cec936bd488ee3d14639a785215a5e2521fc5a02a54a4268aa346a20cd5a12974a9d13da2063d298768a254c4a04b65f6a139d144491163da20b4b5abcdf06489be891d640d498aab3ab4749f6a2e0db9dad69224dd8edd89af5d2dcda22cea8b4a445716a91ffb88358b33c93e5b37c9d458d4b6d1740dcdbd9dd91ecf2f20183b2717302eb721fec9b13df7a4e1b38b23c65ddcfb1733415a71ff0700086764f046061eb5c4198d8537c5448f847e8d886a5510854244e81311129533c22eb155fc094e6a590e01');
INSERT INTO public.solution VALUES (2, 3, 23, 276, '\x0128b52ffd0000850a0073553f3468929666cb9e5771a4be5d6a8abcd16357b4b52995a83c1a634685384bb320fb88492babd8a48555a43da93a15a9eaacd0a216b6492bb42735a8e6accecab6622939b4ac2ab43a6b22265d2349684855a14623edd8aa284fadb94553cc536315a982eccfa6a836fb533fea08dda844f56373d5a68eccf346ada13fb5a88eecc6f29cab1fb566538c523d8e115ba60da31fe16c2c0a41fed15d3d9d7b5c5b38b2a7ba726b73ea45dd78555396194df1b558b2d0dd551d67599b10e4146ab2aea4d9d343ff44a49c4d9ac30204e909bda1ae818639e90d4da93cf4e6a54854e50b2a5b9857f484b23cce438ddea840a1ea0e989af4ee1f1a33cf3eb7021b3810b855fbffff1dd099de166b288c20bd805c46a38f2ba5b230615529f6b82e0afb2478e4721b9f00af2d7417dea85c5f11d973a285a10f888625ff673e6310aeadfe4d66e4c8af471b4eeef86101');
INSERT INTO public.solver VALUES (1, 'exact(nodes=1000000000, memory_mib=768)', 6, 'exact', '{"nodes": 1000000000, "memory_mib": 768}', true);
INSERT INTO public.solver VALUES (2, 'greedy', 1, 'greedy', '{}', false);
INSERT INTO public.solver VALUES (3, 'monkey(level=3, p=90, period=50, random_seed=0)', 1, 'monkey', '{"level": 3, "p": 90, "period": 50, "random_seed": 0}', false);
INSERT INTO public.status_block VALUES (1, 1, 0, 12, 9, 3, 0, '\x017b2263656c6c73223a31312c226b696e6473223a5b5d7d0a28b52ffd20793d0100f0020203031c202123272b52526902717b917a717f78737f7a00000102010003100089466fb86d', NULL, NULL);
INSERT INTO public.status_block VALUES (2, 2, 0, 12, 7, 0, 0, '\x017b2263656c6c73223a332c226b696e6473223a5b5d7d0a28b52ffd20219d00005801020200000000e1e20505020060020ac50b', NULL, NULL);
SELECT pg_catalog.setval('public.batch_id_seq', 16, true);
SELECT pg_catalog.setval('public.bound_id_seq', 4, true);
SELECT pg_catalog.setval('public.deal_id_seq', 24, true);
SELECT pg_catalog.setval('public.dealing_id_seq', 2, true);
SELECT pg_catalog.setval('public.job_id_seq', 4, true);
SELECT pg_catalog.setval('public.provenance_id_seq', 2, true);
SELECT pg_catalog.setval('public.ruleset_id_seq', 2, true);
SELECT pg_catalog.setval('public.runner_id_seq', 4, true);
SELECT pg_catalog.setval('public.shard_id_seq', 22, true);
SELECT pg_catalog.setval('public.solver_id_seq', 3, true);
SELECT pg_catalog.setval('public.verification_id_seq', 1, false);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT pk_batch PRIMARY KEY (id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT pk_block PRIMARY KEY (ruleset_id, dealing_id, block, solver_id);
ALTER TABLE ONLY public.bound
    ADD CONSTRAINT pk_bound PRIMARY KEY (id);
ALTER TABLE ONLY public.dead_end
    ADD CONSTRAINT pk_dead_end PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.deal
    ADD CONSTRAINT pk_deal PRIMARY KEY (id);
ALTER TABLE ONLY public.dealing
    ADD CONSTRAINT pk_dealing PRIMARY KEY (id);
ALTER TABLE ONLY public.difficulty
    ADD CONSTRAINT pk_difficulty PRIMARY KEY (ruleset_id);
ALTER TABLE ONLY public.features
    ADD CONSTRAINT pk_features PRIMARY KEY (ruleset_id, dealing_id, seed);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT pk_job PRIMARY KEY (id);
ALTER TABLE ONLY public.job_solver
    ADD CONSTRAINT pk_job_solver PRIMARY KEY (job_id, place);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT pk_ledger PRIMARY KEY (kind);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT pk_outcome PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.provenance
    ADD CONSTRAINT pk_provenance PRIMARY KEY (id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT pk_regret PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.ruleset
    ADD CONSTRAINT pk_ruleset PRIMARY KEY (id);
ALTER TABLE ONLY public.runner
    ADD CONSTRAINT pk_runner PRIMARY KEY (id);
ALTER TABLE ONLY public.seal
    ADD CONSTRAINT pk_seal PRIMARY KEY (kind, row_id);
ALTER TABLE ONLY public.shard
    ADD CONSTRAINT pk_shard PRIMARY KEY (id);
ALTER TABLE ONLY public.solution
    ADD CONSTRAINT pk_solution PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.solver
    ADD CONSTRAINT pk_solver PRIMARY KEY (id);
ALTER TABLE ONLY public.status_block
    ADD CONSTRAINT pk_status_block PRIMARY KEY (ruleset_id, dealing_id, block);
ALTER TABLE ONLY public.verification
    ADD CONSTRAINT pk_verification PRIMARY KEY (id);
ALTER TABLE ONLY public.dealing
    ADD CONSTRAINT uq_dealing_game_dealer UNIQUE (game, dealer);
ALTER TABLE ONLY public.provenance
    ADD CONSTRAINT uq_provenance UNIQUE (program, revision, python, numba, processor, machine, clock);
ALTER TABLE ONLY public.ruleset
    ADD CONSTRAINT uq_ruleset_slug UNIQUE (slug);
ALTER TABLE ONLY public.runner
    ADD CONSTRAINT uq_runner_name UNIQUE (name);
ALTER TABLE ONLY public.solver
    ADD CONSTRAINT uq_solver_name_version UNIQUE (name, version);
CREATE INDEX ix_bound_sample ON public.bound USING btree (ruleset_id, dealer, first_seed, n);
CREATE INDEX ix_deal_digest ON public.deal USING btree (digest);
CREATE UNIQUE INDEX ix_deal_imported ON public.deal USING btree (dealing_id, digest) WHERE (cards IS NOT NULL);
CREATE UNIQUE INDEX ix_deal_seed ON public.deal USING btree (dealing_id, seed);
CREATE INDEX ix_features_level ON public.features USING btree (ruleset_id, level, dealing_id, seed);
CREATE INDEX ix_job_state ON public.job USING btree (state);
CREATE INDEX ix_outcome_deal ON public.outcome USING btree (deal_id);
CREATE INDEX ix_shard_job ON public.shard USING btree (job_id, state, first_seed);
CREATE INDEX ix_solver_method ON public.solver USING btree (method);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT fk_batch_provenance_id FOREIGN KEY (provenance_id) REFERENCES public.provenance(id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT fk_block_dealing_id FOREIGN KEY (dealing_id) REFERENCES public.dealing(id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT fk_block_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT fk_block_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
ALTER TABLE ONLY public.bound
    ADD CONSTRAINT fk_bound_job_id FOREIGN KEY (job_id) REFERENCES public.job(id);
ALTER TABLE ONLY public.bound
    ADD CONSTRAINT fk_bound_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.dead_end
    ADD CONSTRAINT fk_dead_end_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.deal
    ADD CONSTRAINT fk_deal_dealing_id FOREIGN KEY (dealing_id) REFERENCES public.dealing(id);
ALTER TABLE ONLY public.difficulty
    ADD CONSTRAINT fk_difficulty_provenance_id FOREIGN KEY (provenance_id) REFERENCES public.provenance(id);
ALTER TABLE ONLY public.difficulty
    ADD CONSTRAINT fk_difficulty_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.features
    ADD CONSTRAINT fk_features_batch_id FOREIGN KEY (batch_id) REFERENCES public.batch(id);
ALTER TABLE ONLY public.features
    ADD CONSTRAINT fk_features_dealing_id FOREIGN KEY (dealing_id) REFERENCES public.dealing(id);
ALTER TABLE ONLY public.features
    ADD CONSTRAINT fk_features_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.features
    ADD CONSTRAINT fk_features_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT fk_job_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.job_solver
    ADD CONSTRAINT fk_job_solver_job_id FOREIGN KEY (job_id) REFERENCES public.job(id);
ALTER TABLE ONLY public.job_solver
    ADD CONSTRAINT fk_job_solver_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_batch_id FOREIGN KEY (batch_id) REFERENCES public.batch(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_deal_id FOREIGN KEY (deal_id) REFERENCES public.deal(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT fk_regret_batch_id FOREIGN KEY (batch_id) REFERENCES public.batch(id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT fk_regret_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.runner
    ADD CONSTRAINT fk_runner_provenance_id FOREIGN KEY (provenance_id) REFERENCES public.provenance(id);
ALTER TABLE ONLY public.shard
    ADD CONSTRAINT fk_shard_job_id FOREIGN KEY (job_id) REFERENCES public.job(id);
ALTER TABLE ONLY public.shard
    ADD CONSTRAINT fk_shard_runner_id FOREIGN KEY (runner_id) REFERENCES public.runner(id);
ALTER TABLE ONLY public.solution
    ADD CONSTRAINT fk_solution_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.status_block
    ADD CONSTRAINT fk_status_block_dealing_id FOREIGN KEY (dealing_id) REFERENCES public.dealing(id);
ALTER TABLE ONLY public.status_block
    ADD CONSTRAINT fk_status_block_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
