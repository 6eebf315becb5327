CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.batch (
    id bigint NOT NULL,
    maker_id integer NOT NULL,
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
    made json NOT NULL,
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
    game character varying(20) NOT NULL,
    dealer character varying(40)
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
    trait_version integer NOT NULL,
    players json NOT NULL,
    traits json NOT NULL,
    spread double precision NOT NULL,
    limits json NOT NULL,
    validation json NOT NULL,
    maker_id integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    seal bigint NOT NULL
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
CREATE TABLE public.maker (
    id integer NOT NULL,
    program character varying(40) NOT NULL,
    revision character varying(40) NOT NULL,
    python character varying(20) NOT NULL,
    numba character varying(20) NOT NULL,
    processor character varying(120) NOT NULL,
    machine character varying(80) NOT NULL,
    clock integer NOT NULL
);
CREATE SEQUENCE public.maker_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.maker_id_seq OWNED BY public.maker.id;
CREATE TABLE public.outcome (
    ruleset_id integer CONSTRAINT outcome_ruleset_id_not_null1 NOT NULL,
    solver_id integer CONSTRAINT outcome_solver_id_not_null1 NOT NULL,
    deal_id bigint CONSTRAINT outcome_deal_id_not_null1 NOT NULL,
    result character varying(10) CONSTRAINT outcome_result_not_null1 NOT NULL,
    nodes bigint CONSTRAINT outcome_nodes_not_null1 NOT NULL,
    cpu_us bigint,
    batch_id bigint NOT NULL
);
CREATE TABLE public.piece (
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
CREATE SEQUENCE public.piece_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.piece_id_seq OWNED BY public.piece.id;
CREATE TABLE public.regret (
    ruleset_id integer CONSTRAINT regret_ruleset_id_not_null1 NOT NULL,
    solver_id integer CONSTRAINT regret_solver_id_not_null1 NOT NULL,
    deal_id bigint CONSTRAINT regret_deal_id_not_null1 NOT NULL,
    kind character varying(10) CONSTRAINT regret_kind_not_null1 NOT NULL,
    step integer,
    action character varying(20),
    length integer CONSTRAINT regret_length_not_null1 NOT NULL,
    moves bytea CONSTRAINT regret_moves_not_null1 NOT NULL,
    judge_version integer NOT NULL,
    judge character varying(60) CONSTRAINT regret_judge_not_null1 NOT NULL,
    batch_id bigint NOT NULL
);
CREATE TABLE public.ruleset (
    id integer NOT NULL,
    slug character varying(120) NOT NULL,
    game character varying(20) NOT NULL,
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
    maker_id integer,
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
CREATE TABLE public.status (
    ruleset_id integer CONSTRAINT status_ruleset_id_not_null1 NOT NULL,
    deal_id bigint CONSTRAINT status_deal_id_not_null1 NOT NULL,
    status character varying(10) CONSTRAINT status_status_not_null1 NOT NULL,
    solvers integer CONSTRAINT status_solvers_not_null1 NOT NULL,
    wins integer CONSTRAINT status_wins_not_null1 NOT NULL,
    proofs integer CONSTRAINT status_proofs_not_null1 NOT NULL,
    nodes bigint,
    solution_length integer,
    dead_end character varying(40)
);
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
CREATE TABLE public.trait (
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
ALTER TABLE ONLY public.maker ALTER COLUMN id SET DEFAULT nextval('public.maker_id_seq'::regclass);
ALTER TABLE ONLY public.piece ALTER COLUMN id SET DEFAULT nextval('public.piece_id_seq'::regclass);
ALTER TABLE ONLY public.ruleset ALTER COLUMN id SET DEFAULT nextval('public.ruleset_id_seq'::regclass);
ALTER TABLE ONLY public.runner ALTER COLUMN id SET DEFAULT nextval('public.runner_id_seq'::regclass);
ALTER TABLE ONLY public.solver ALTER COLUMN id SET DEFAULT nextval('public.solver_id_seq'::regclass);
ALTER TABLE ONLY public.verification ALTER COLUMN id SET DEFAULT nextval('public.verification_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0011');
INSERT INTO public.batch VALUES (1, 1, '2026-11-28 07:33:39.088893+00', 8, -3144857888914826838);
INSERT INTO public.batch VALUES (2, 1, '2026-11-28 07:33:39.448381+00', 8, 6676827580690686715);
INSERT INTO public.batch VALUES (3, 1, '2026-11-28 07:33:39.731044+00', 3, 6083485347778212078);
INSERT INTO public.batch VALUES (4, 1, '2026-11-28 07:33:40.120728+00', 6, -6806050671738258577);
INSERT INTO public.batch VALUES (5, 1, '2026-11-28 07:33:40.652137+00', 2, 3305414584449517278);
INSERT INTO public.batch VALUES (6, 1, '2026-11-28 07:33:41.287521+00', 2, 8315639060814500076);
INSERT INTO public.block VALUES (1, 2, 0, 1, 4, 0, 0, 1, 3, 47, 4038, '[[0, 4, 1, "2026-11-28T07:33:39+00:00"]]', 1152098024, '\x027b226669727374223a302c226465616c73223a342c22706c616e6573223a5b312c302c325d2c226b696e6473223a5b22636f6e666c696374225d2c2273697a6573223a5b31372c31332c392c31375d7d0a28b52ffd20084100000c0b0c0c0001000028b52ffd20042100000a100d0c28b52ffd200001000028b52ffd2008410000c29ed09a000d0000', 4);
INSERT INTO public.block VALUES (1, 2, 0, 2, 4, 3, 0, 1, 0, 632, 597, '[[0, 4, 1, "2026-11-28T07:33:39+00:00"]]', 3713999490, '\x027b226669727374223a302c226465616c73223a342c22706c616e6573223a5b312c312c325d2c226b696e6473223a5b5d2c2273697a6573223a5b31372c31332c31332c31375d7d0a28b52ffd2008410000090b09090000000028b52ffd2004210000eade417328b52ffd20042100007e007f9128b52ffd2008410000f220242300010000', 4);
INSERT INTO public.dead_end VALUES (1, 1, 3, 'conflict', '5H JH 9H 8D 7S 9C QC 9S 5S JD 8H QS');
INSERT INTO public.deal VALUES (1, 1, NULL, '\xb4928ba24de0b522d643db1ef4b2258c', '\x171f333102100e132f1512031c2500060f0c321b291a23300a162d190d2c20260704212e272b2208141e012a2811180b1d052409');
INSERT INTO public.deal VALUES (2, 2, 0, '\x7d51204a1f0981137de1faf4f5b629eb', NULL);
INSERT INTO public.deal VALUES (3, 2, 1, '\x3ce9f5a80c80268f40f39037bf7ec26f', NULL);
INSERT INTO public.deal VALUES (4, 2, 2, '\xe48ed2012bd1297da2790e7dd76e2a20', NULL);
INSERT INTO public.deal VALUES (5, 2, 3, '\x5386a052a5b4fa9cea2628e70eb90c60', NULL);
INSERT INTO public.deal VALUES (6, 1, NULL, '\x98ded980adb571ffbb07364c913a59b6', '\x2a102523142c2b1f2618011d1a322d00190d1c062e2f1713050412113031090e0721282724290f080b0a16031b1533200c221e02');
INSERT INTO public.deal VALUES (7, 1, NULL, '\x64c52a5827e7227c3036a49295a1a331', '\x0d2f05210b1d0a133206101b002a2922302c260f331502230e1c18281e2e0908191614271117042b2403122d311a2507011f0c20');
INSERT INTO public.deal VALUES (8, 1, NULL, '\x56e4c1461da65dd546488ef79cd686b0', '\x0310292a08251b1615051404191a0d2b2d000224300e2226061d2c0c0a131e3109321217230b2821113327072f2e1c011f18200f');
INSERT INTO public.deal VALUES (9, 1, NULL, '\x3f68802d203b86b7e2a154c8d8c93543', '\x2d181a00141925300e09312b0f0b020c12291c202623071b152a0316322e1e33271108051722240d042813062c1d010a211f2f10');
INSERT INTO public.deal VALUES (10, 1, NULL, '\x8669a593135703d60c020c91fb425817', '\x0d2a1a17241605062e221b322914330c082d2b0e282f181d2c040225131e0b191f07151011090f1c310a27232120300112030026');
INSERT INTO public.deal VALUES (11, 1, NULL, '\xb1a186c40fbe07b9f82c28ebf8d0274b', '\x0d1c0f2f2e04171b241a21012d28202b0c16310933220a131d321811000b301e0806291419072303272a151025262c0212051f0e');
INSERT INTO public.deal VALUES (12, 3, NULL, '\x1fd10a020429690dbf187d498a21ffd9', '\x2b2625002d1e0033122406181e20311322090801051d0f031a020f1312263103292c172f280411011a0b1d300e151f16242c271f2a172114082805222e0727160c180d30092319322e21111b15040e192a07323323292b102d141c1c0d060a1b0c0b0a202f102502');
INSERT INTO public.deal VALUES (13, 3, NULL, '\x1100116fe4d412dc3fb93eb530d6d73d', '\x1f122a2911310b1c1d212e09022414130e28040d25030d072b040a150c07103327052e090b17082632222d1b17182c0010062d1b300e2319121a1e32160a2320181d11242a060c01212c29151a1320081925332814002f271f262b2f3103220f011c1e050216300f');
INSERT INTO public.deal VALUES (14, 1, NULL, '\x74e2622847e11e0684b1ad349056ab6f', '\x17013113091e2e082b331c2c2004280702190b1a14112924320e302d0d22252a0527031621120f262f00151b0c06100a1f1d1823');
INSERT INTO public.dealing VALUES (1, 'klondike', NULL);
INSERT INTO public.dealing VALUES (2, 'klondike', 'thoughtful-1');
INSERT INTO public.dealing VALUES (3, 'spider', NULL);
INSERT INTO public.ledger VALUES ('difficulty', 0, 0, 8699231468593387698);
INSERT INTO public.ledger VALUES ('job', 0, 0, -7833067512591036837);
INSERT INTO public.ledger VALUES ('bound', 0, 0, 3447776443939538922);
INSERT INTO public.ledger VALUES ('verification', 0, 0, -7330262647413102779);
INSERT INTO public.ledger VALUES ('block', 2, 168815785921984362, -754411585844361192);
INSERT INTO public.ledger VALUES ('batch', 6, -1421012137192535721, -6172468773354014722);
INSERT INTO public.ledger VALUES ('deal', 10, -2530602423694741674, -6579458906840669531);
INSERT INTO public.maker VALUES (1, '0.1.0', '', '3.11.7', '0.68.1', 'AMD EPYC', 'vm', 2);
INSERT INTO public.outcome VALUES (1, 1, 2, 'gave_up', 9, 193, 1);
INSERT INTO public.outcome VALUES (1, 1, 3, 'unwinnable', 15, 3485, 1);
INSERT INTO public.outcome VALUES (1, 1, 4, 'gave_up', 12, 207, 1);
INSERT INTO public.outcome VALUES (1, 1, 5, 'gave_up', 11, 153, 1);
INSERT INTO public.outcome VALUES (1, 2, 2, 'won', 233, 241, 1);
INSERT INTO public.outcome VALUES (1, 2, 3, 'unwinnable', 221, 287, 1);
INSERT INTO public.outcome VALUES (1, 2, 4, 'won', 64, 35, 1);
INSERT INTO public.outcome VALUES (1, 2, 5, 'won', 114, 34, 1);
INSERT INTO public.outcome VALUES (1, 1, 6, 'gave_up', 11, 192, 2);
INSERT INTO public.outcome VALUES (1, 1, 7, 'gave_up', 11, 142, 2);
INSERT INTO public.outcome VALUES (1, 1, 8, 'gave_up', 14, 210, 2);
INSERT INTO public.outcome VALUES (1, 1, 9, 'gave_up', 12, 152, 2);
INSERT INTO public.outcome VALUES (1, 2, 6, 'won', 66, 70, 2);
INSERT INTO public.outcome VALUES (1, 2, 7, 'gave_up', 500, 359, 2);
INSERT INTO public.outcome VALUES (1, 2, 8, 'won', 45, 28, 2);
INSERT INTO public.outcome VALUES (1, 2, 9, 'won', 43, 26, 2);
INSERT INTO public.outcome VALUES (1, 2, 10, 'won', 96, 106, 3);
INSERT INTO public.outcome VALUES (1, 3, 8, 'unwinnable', 5, NULL, 3);
INSERT INTO public.outcome VALUES (1, 3, 10, 'unwinnable', 5, NULL, 3);
INSERT INTO public.outcome VALUES (2, 1, 6, 'gave_up', 11, 215, 4);
INSERT INTO public.outcome VALUES (2, 1, 9, 'gave_up', 11, 165, 4);
INSERT INTO public.outcome VALUES (2, 1, 11, 'gave_up', 11, 141, 4);
INSERT INTO public.outcome VALUES (2, 2, 6, 'won', 44, 27, 4);
INSERT INTO public.outcome VALUES (2, 2, 9, 'won', 38, 232, 4);
INSERT INTO public.outcome VALUES (2, 2, 11, 'gave_up', 500, 45, 4);
INSERT INTO public.outcome VALUES (3, 4, 12, 'lost', 149, 56, 5);
INSERT INTO public.outcome VALUES (3, 4, 13, 'lost', 149, 51, 5);
INSERT INTO public.outcome VALUES (1, 5, 6, 'lost', 16, 135, 6);
INSERT INTO public.outcome VALUES (1, 5, 14, 'lost', 8, 57, 6);
INSERT INTO public.ruleset VALUES (1, 'klondike-draw3', 'klondike', '{"draw": 3, "redeals": null, "partial_runs": true, "worrying_back": true, "building": "alternating", "spaces": "kings"}');
INSERT INTO public.ruleset VALUES (2, 'klondike-draw1', 'klondike', '{"draw": 1, "redeals": null, "partial_runs": true, "worrying_back": true, "building": "alternating", "spaces": "kings"}');
INSERT INTO public.ruleset VALUES (3, 'spider-1-relaxed', 'spider', '{"suits": 1, "deal_onto_empty": true}');
INSERT INTO public.seal VALUES ('dealing', 1, -2967840687126070498);
INSERT INTO public.seal VALUES ('ruleset', 1, -6872393847521286998);
INSERT INTO public.seal VALUES ('dealing', 2, -237268998324816119);
INSERT INTO public.seal VALUES ('solver', 1, -2435525738541810628);
INSERT INTO public.seal VALUES ('solver', 2, -1999161872579316920);
INSERT INTO public.seal VALUES ('maker', 1, -109715782201601263);
INSERT INTO public.seal VALUES ('solver', 3, 9044561554044523546);
INSERT INTO public.seal VALUES ('ruleset', 2, 1784234166926078482);
INSERT INTO public.seal VALUES ('ruleset', 3, -4539327828243516761);
INSERT INTO public.seal VALUES ('dealing', 3, 242563929823315798);
INSERT INTO public.seal VALUES ('solver', 4, 6652952618306035498);
INSERT INTO public.seal VALUES ('solver', 5, 4561033092642757788);
INSERT INTO public.solution VALUES (1, 2, 2, 126, '\x0128b52ffd00000d0200b34309d9cbaa8a9e9e681d5ada5d0edf3d11453efdf12c24a132909516ee6e4c06c4dd24229208f208fc1b305bc6b1f83b56063d0847b10c5d08f9e974a3d1654b');
INSERT INTO public.solution VALUES (1, 2, 4, 127, '\x0128b52ffd00006d0200e3840ca99feeae8a9faddeec78aab8e135ee882fa7a85c96077677c94e9d14c8c89eeceb3bde7ec93a4be41ed07577d1f0424c8d5307fccca1922e5f1b6bb5a0e8112ddc184950cc4e20b71a01');
INSERT INTO public.solution VALUES (1, 2, 5, 145, '\x0128b52ffd00009d020053040c9b9bdb58a9a676a4260dee8cc55169aed33e6158d91d37a6ba51fe9f30931066baee40a0eb30d4ae64c4d2409679e5140afcc1cf00c88ad2483eafd76b34de4a56e8bc55e08c30b5ad1163b60a15d004');
INSERT INTO public.solution VALUES (1, 2, 6, 131, '\x0128b52ffd0000150200338308e9aaf8e9cdd1ee1997d957ba83fac7138678c7d170e4fd13fa8c58eeb9e06d3538020afc3da0c4d5a23c43e03a5335a7f8bfd1a232807c66262c9abfc209c6');
INSERT INTO public.solution VALUES (1, 2, 8, 139, '\x0128b52ffd0000650200a3030a9a9acbbe8cd53d6275170b648629f54fcad6ec4ca7647164424ed8dd05a5baea2a61eb2ee81f4f060bfc38846062c5ef86727e0e6563809c5f5b058ca9414622f6a45ebd2ea3ee0701');
INSERT INTO public.solution VALUES (1, 2, 9, 127, '\x0128b52ffd000035020013440a8b879d88174ec4bbdedfd7ccfdc7a868abba7baa8a06bfb2f29e6060e4a9ae92460b13757f8af4a60e09fcda6b01634fa1312507a5447336f26418e019b65cc81119b9');
INSERT INTO public.solution VALUES (1, 2, 10, 124, '\x0128b52ffd00003d020073040bac999f9fff88f7bda822cd1a92fd8fdae8feb1523efac53b108f8f4a252455d6f9266e184134eb9057583e1508fcec95edf05edae479c70aaf9694f2067594b3776d2607');
INSERT INTO public.solution VALUES (2, 2, 6, 132, '\x0128b52ffd00004d0200b3c309b9aafec9abbb88a8acad693c8efa47ff4f20232190897687a611ebeee2989da73a0fecba1a1c010afc86b451d976a3a3ed72de428ec1267c594600f8ba57881cb80936f11a0e');
INSERT INTO public.solution VALUES (2, 2, 9, 178, '\x0128b52ffd0000950200b3430989f7dd9fd999cfcdadd9adea5b92eda3d1aeeea7420ac08e5168a85c277f116d1811496fea10fc135d7394e356f4429d8ae7a2eac0964a8f5f4b64688a2db9aa3038ad46ab1eb4e7cb31199fb66960');
INSERT INTO public.solver VALUES (1, 'dead-end', 2, 'dead-end', '{}', false);
INSERT INTO public.solver VALUES (2, 'exact(nodes=500, memory_mib=768)', 10, 'exact', '{"nodes": 500, "memory_mib": 768}', true);
INSERT INTO public.solver VALUES (3, 'foreign-lonelybot', 3, 'foreign-lonelybot', '{}', false);
INSERT INTO public.solver VALUES (4, 'monkey(level=1, p=90, period=25, random_seed=0)', 1, 'monkey', '{"level": 1, "p": 90, "period": 25, "random_seed": 0}', false);
INSERT INTO public.solver VALUES (5, 'greedy', 1, 'greedy', '{}', false);
INSERT INTO public.status VALUES (1, 7, 'unresolved', 2, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (1, 9, 'winnable', 2, 1, 0, 43, 127, NULL);
INSERT INTO public.status VALUES (1, 10, 'winnable', 2, 1, 1, 96, 124, NULL);
INSERT INTO public.status VALUES (1, 8, 'winnable', 3, 1, 1, 45, 139, NULL);
INSERT INTO public.status VALUES (2, 6, 'winnable', 2, 1, 0, 44, 132, NULL);
INSERT INTO public.status VALUES (2, 9, 'winnable', 2, 1, 0, 38, 178, NULL);
INSERT INTO public.status VALUES (2, 11, 'unresolved', 2, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (3, 12, 'unresolved', 1, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (3, 13, 'unresolved', 1, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (1, 14, 'unresolved', 1, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (1, 6, 'winnable', 3, 1, 0, 66, 131, NULL);
INSERT INTO public.status_block VALUES (1, 2, 0, 4, 3, 1, 0, '\x027b2263656c6c73223a342c226b696e6473223a5b22636f6e666c696374225d2c2273697a6573223a5b33325d7d0a28b52ffd202cbd0000880202020321272f2e7f917e010101010100010043b004', NULL, NULL);
SELECT pg_catalog.setval('public.batch_id_seq', 6, true);
SELECT pg_catalog.setval('public.bound_id_seq', 1, false);
SELECT pg_catalog.setval('public.deal_id_seq', 14, true);
SELECT pg_catalog.setval('public.dealing_id_seq', 3, true);
SELECT pg_catalog.setval('public.job_id_seq', 1, false);
SELECT pg_catalog.setval('public.maker_id_seq', 1, true);
SELECT pg_catalog.setval('public.piece_id_seq', 1, false);
SELECT pg_catalog.setval('public.ruleset_id_seq', 3, true);
SELECT pg_catalog.setval('public.runner_id_seq', 1, false);
SELECT pg_catalog.setval('public.solver_id_seq', 5, true);
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
ALTER TABLE ONLY public.job
    ADD CONSTRAINT pk_job PRIMARY KEY (id);
ALTER TABLE ONLY public.job_solver
    ADD CONSTRAINT pk_job_solver PRIMARY KEY (job_id, place);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT pk_ledger PRIMARY KEY (kind);
ALTER TABLE ONLY public.maker
    ADD CONSTRAINT pk_maker PRIMARY KEY (id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT pk_outcome PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.piece
    ADD CONSTRAINT pk_piece PRIMARY KEY (id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT pk_regret PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.ruleset
    ADD CONSTRAINT pk_ruleset PRIMARY KEY (id);
ALTER TABLE ONLY public.runner
    ADD CONSTRAINT pk_runner PRIMARY KEY (id);
ALTER TABLE ONLY public.seal
    ADD CONSTRAINT pk_seal PRIMARY KEY (kind, row_id);
ALTER TABLE ONLY public.solution
    ADD CONSTRAINT pk_solution PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.solver
    ADD CONSTRAINT pk_solver PRIMARY KEY (id);
ALTER TABLE ONLY public.status
    ADD CONSTRAINT pk_status PRIMARY KEY (ruleset_id, deal_id);
ALTER TABLE ONLY public.status_block
    ADD CONSTRAINT pk_status_block PRIMARY KEY (ruleset_id, dealing_id, block);
ALTER TABLE ONLY public.trait
    ADD CONSTRAINT pk_trait PRIMARY KEY (ruleset_id, dealing_id, seed);
ALTER TABLE ONLY public.verification
    ADD CONSTRAINT pk_verification PRIMARY KEY (id);
ALTER TABLE ONLY public.dealing
    ADD CONSTRAINT uq_dealing_game_dealer UNIQUE (game, dealer);
ALTER TABLE ONLY public.maker
    ADD CONSTRAINT uq_maker_program_revision_python_numba_processor_machine_clock UNIQUE (program, revision, python, numba, processor, machine, clock);
ALTER TABLE ONLY public.ruleset
    ADD CONSTRAINT uq_ruleset_slug UNIQUE (slug);
ALTER TABLE ONLY public.runner
    ADD CONSTRAINT uq_runner_name UNIQUE (name);
ALTER TABLE ONLY public.solver
    ADD CONSTRAINT uq_solver_name_version UNIQUE (name, version);
CREATE INDEX ix_bound_sample ON public.bound USING btree (ruleset_id, dealer, first_seed, n);
CREATE INDEX ix_deal_digest ON public.deal USING btree (digest);
CREATE UNIQUE INDEX ix_deal_imported ON public.deal USING btree (dealing_id, digest) WHERE (seed IS NULL);
CREATE UNIQUE INDEX ix_deal_seed ON public.deal USING btree (dealing_id, seed);
CREATE UNIQUE INDEX ix_dealing_imported ON public.dealing USING btree (game) WHERE (dealer IS NULL);
CREATE INDEX ix_job_state ON public.job USING btree (state);
CREATE INDEX ix_outcome_deal ON public.outcome USING btree (deal_id);
CREATE INDEX ix_piece_job ON public.piece USING btree (job_id, state, first_seed);
CREATE INDEX ix_solver_method ON public.solver USING btree (method);
CREATE INDEX ix_trait_level ON public.trait USING btree (ruleset_id, level, dealing_id, seed);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT fk_batch_maker_id FOREIGN KEY (maker_id) REFERENCES public.maker(id);
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
    ADD CONSTRAINT fk_difficulty_maker_id FOREIGN KEY (maker_id) REFERENCES public.maker(id);
ALTER TABLE ONLY public.difficulty
    ADD CONSTRAINT fk_difficulty_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
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
ALTER TABLE ONLY public.piece
    ADD CONSTRAINT fk_piece_job_id FOREIGN KEY (job_id) REFERENCES public.job(id);
ALTER TABLE ONLY public.piece
    ADD CONSTRAINT fk_piece_runner_id FOREIGN KEY (runner_id) REFERENCES public.runner(id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT fk_regret_batch_id FOREIGN KEY (batch_id) REFERENCES public.batch(id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT fk_regret_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.runner
    ADD CONSTRAINT fk_runner_maker_id FOREIGN KEY (maker_id) REFERENCES public.maker(id);
ALTER TABLE ONLY public.solution
    ADD CONSTRAINT fk_solution_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.status_block
    ADD CONSTRAINT fk_status_block_dealing_id FOREIGN KEY (dealing_id) REFERENCES public.dealing(id);
ALTER TABLE ONLY public.status_block
    ADD CONSTRAINT fk_status_block_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.status
    ADD CONSTRAINT fk_status_deal_id FOREIGN KEY (deal_id) REFERENCES public.deal(id);
ALTER TABLE ONLY public.status
    ADD CONSTRAINT fk_status_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.trait
    ADD CONSTRAINT fk_trait_batch_id FOREIGN KEY (batch_id) REFERENCES public.batch(id);
ALTER TABLE ONLY public.trait
    ADD CONSTRAINT fk_trait_dealing_id FOREIGN KEY (dealing_id) REFERENCES public.dealing(id);
ALTER TABLE ONLY public.trait
    ADD CONSTRAINT fk_trait_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.trait
    ADD CONSTRAINT fk_trait_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
