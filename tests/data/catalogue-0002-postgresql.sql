CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.bound (
    id bigint NOT NULL,
    ruleset_id integer NOT NULL,
    dealer character varying(40) NOT NULL,
    first_seed bigint NOT NULL,
    n bigint NOT NULL,
    winnable bigint NOT NULL,
    unwinnable bigint NOT NULL,
    job_id integer,
    at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.bound_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.bound_id_seq OWNED BY public.bound.id;
CREATE TABLE public.dead_end (
    ruleset_id integer NOT NULL,
    solver_id integer NOT NULL,
    deal_id bigint NOT NULL,
    kind character varying(40) NOT NULL,
    witness character varying(200) NOT NULL
);
CREATE TABLE public.deal (
    id bigint NOT NULL,
    game character varying(20) NOT NULL,
    dealer character varying(40),
    seed bigint,
    digest character varying(32) NOT NULL,
    cards bytea NOT NULL
);
CREATE SEQUENCE public.deal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.deal_id_seq OWNED BY public.deal.id;
CREATE TABLE public.job (
    id integer NOT NULL,
    ruleset_id integer NOT NULL,
    dealer character varying(40) NOT NULL,
    first_seed bigint NOT NULL,
    deals bigint NOT NULL,
    state character varying(10) NOT NULL,
    done bigint NOT NULL,
    rate double precision,
    error text,
    runner character varying(120),
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    heartbeat timestamp with time zone,
    finished_at timestamp with time zone
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
    job_id integer NOT NULL,
    place integer NOT NULL,
    solver_id integer NOT NULL
);
CREATE TABLE public.outcome (
    ruleset_id integer NOT NULL,
    solver_id integer NOT NULL,
    deal_id bigint NOT NULL,
    result character varying(10) NOT NULL,
    nodes bigint NOT NULL,
    cpu_ms double precision NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.regret (
    ruleset_id integer NOT NULL,
    solver_id integer NOT NULL,
    deal_id bigint NOT NULL,
    kind character varying(10) NOT NULL,
    step integer,
    action character varying(20),
    length integer NOT NULL,
    moves bytea NOT NULL,
    exact_version integer NOT NULL
);
CREATE TABLE public.ruleset (
    id integer NOT NULL,
    slug character varying(80) NOT NULL,
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
CREATE TABLE public.solution (
    ruleset_id integer NOT NULL,
    solver_id integer NOT NULL,
    deal_id bigint NOT NULL,
    length integer NOT NULL,
    moves bytea NOT NULL
);
CREATE TABLE public.solver (
    id integer NOT NULL,
    name character varying(200) NOT NULL,
    version integer NOT NULL,
    method character varying(60) NOT NULL,
    parameters json NOT NULL
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
    ruleset_id integer NOT NULL,
    deal_id bigint NOT NULL,
    dealer character varying(40),
    seed bigint,
    status character varying(10) NOT NULL,
    solvers integer NOT NULL,
    wins integer NOT NULL,
    proofs integer NOT NULL,
    nodes bigint,
    solution_length integer,
    dead_end character varying(40)
);
CREATE TABLE public.status_tally (
    ruleset_id integer NOT NULL,
    dealer character varying(40) NOT NULL,
    block bigint NOT NULL,
    deals integer NOT NULL,
    winnable integer NOT NULL,
    unwinnable integer NOT NULL,
    alarms integer NOT NULL
);
CREATE TABLE public.tally (
    ruleset_id integer NOT NULL,
    solver_id integer NOT NULL,
    dealer character varying(40) NOT NULL,
    block bigint NOT NULL,
    attempted integer NOT NULL,
    won integer NOT NULL,
    lost integer NOT NULL,
    unwinnable integer NOT NULL,
    gave_up integer NOT NULL,
    nodes bigint NOT NULL,
    cpu_ms double precision NOT NULL
);
ALTER TABLE ONLY public.bound ALTER COLUMN id SET DEFAULT nextval('public.bound_id_seq'::regclass);
ALTER TABLE ONLY public.deal ALTER COLUMN id SET DEFAULT nextval('public.deal_id_seq'::regclass);
ALTER TABLE ONLY public.job ALTER COLUMN id SET DEFAULT nextval('public.job_id_seq'::regclass);
ALTER TABLE ONLY public.ruleset ALTER COLUMN id SET DEFAULT nextval('public.ruleset_id_seq'::regclass);
ALTER TABLE ONLY public.solver ALTER COLUMN id SET DEFAULT nextval('public.solver_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0002');
INSERT INTO public.bound VALUES (1, 1, 'thoughtful-1', 0, 6, 5, 1, 1, '2026-11-21 15:04:14.546771+00');
INSERT INTO public.bound VALUES (2, 1, 'thoughtful-1', 0, 12, 9, 3, 1, '2026-11-21 15:04:14.578089+00');
INSERT INTO public.deal VALUES (1, 'klondike', 'thoughtful-1', 0, '7d51204a1f0981137de1faf4f5b629eb', '\x07181f1921332c30250a0605021c172220010b2e002309131b2a1426112f1a101e0e32122d0f0d2904160c1d24152b0328310827');
INSERT INTO public.deal VALUES (2, 'klondike', 'thoughtful-1', 1, '3ce9f5a80c80268f40f39037bf7ec26f', '\x2824020f132b18192731153305090e231d1b321a11202c222512291f0b2d30000d041408160c10212a03012e0a1e171c0726062f');
INSERT INTO public.deal VALUES (3, 'klondike', 'thoughtful-1', 2, 'e48ed2012bd1297da2790e7dd76e2a20', '\x2f0a3115281627062d222921172c300c0d12092a0b1a13071000141d1825010332190e1e2e0f1105202433261f1c1b082b230402');
INSERT INTO public.deal VALUES (4, 'klondike', 'thoughtful-1', 3, '5386a052a5b4fa9cea2628e70eb90c60', '\x09122b1f0a042a02002830112c0c2d0e071e1d192e14210501101327032f1a06263125081c151733220b20320f29180d2423161b');
INSERT INTO public.deal VALUES (5, 'klondike', 'thoughtful-1', 4, '7c3d89b88dd275027fcd1867d5b114f8', '\x0a15060b3322231d160f0c0232270726212c2b2529282d0e31172401122f032a091b101f180508141e11130d301c1a201900042e');
INSERT INTO public.deal VALUES (6, 'klondike', 'thoughtful-1', 5, '60a7ffe9b6c268e98b8d870ad695feac', '\x22001c0518262a1a0b02331b25192116032729321210311714070f13300c0d2815200a2d1e04092f24232e1d1f0108062c2b0e11');
INSERT INTO public.deal VALUES (7, 'klondike', 'thoughtful-1', 6, '1e25a53cf4fc0d3e9837981094776d4d', '\x29220c140f0d001e0709030623262c16170b021033282a04320521151c2f1f1a2e0e12202b1d131b08180a19112501302d312724');
INSERT INTO public.deal VALUES (8, 'klondike', 'thoughtful-1', 7, 'd0e68e117e40468cea4e9d0b8c36f6f7', '\x2f04021a0f111e1f2d050321302b23281b100932220b181c16152612250d27292c1907200c0a1d312e130e242a33170601140800');
INSERT INTO public.deal VALUES (9, 'klondike', 'thoughtful-1', 8, '232ab3c246aba551a9d9456a2635078f', '\x0118130003211b12101d1a081419311e162e2c0720300b05322b26090f0a2a1c23250c271f0615170d2d042902222811330e2f24');
INSERT INTO public.deal VALUES (10, 'klondike', 'thoughtful-1', 9, '7d19c8509dc600dc961dfdae3cde9e85', '\x1826050e061d251a272d2f23210f13280d160824170b10151e20321f31031c2a0419110c22301b01072c29022b000a2e12140933');
INSERT INTO public.deal VALUES (11, 'klondike', 'thoughtful-1', 10, 'ac8a45814199d2754e6e0eafd8e3bcb7', '\x0f11062327241908010b122a30022d1d0d201c2f2e211f322b140029052813101b071e04092c0e171a0a2631160315330c182522');
INSERT INTO public.deal VALUES (12, 'klondike', 'thoughtful-1', 11, '04070ca5f5b6e920af75e22365a9b0ce', '\x26232e311420221302000c152132060e03172b1b1c27250b0904300a241f2f0f2a0d1e1018121d0108052c281a2d193311162907');
INSERT INTO public.job VALUES (1, 1, 'thoughtful-1', 0, 12, 'done', 24, NULL, NULL, 'vm/eee3137f/2758/1795273331.05/e07229', '2026-11-21 15:04:09.910459+00', '2026-11-21 15:04:09.918269+00', '2026-11-21 15:04:14.583484+00', '2026-11-21 15:04:14.598868+00');
INSERT INTO public.job_solver VALUES (1, 0, 1);
INSERT INTO public.job_solver VALUES (1, 1, 2);
INSERT INTO public.outcome VALUES (1, 1, 1, 'won', 4836, 41.829582, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 1, 2, 'unwinnable', 71031, 5.257225, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 1, 3, 'won', 64, 0.180548, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 1, 4, 'won', 115, 0.12121, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 1, 5, 'won', 4661, 1.103652, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 1, 6, 'won', 35028, 2.959464, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 2, 1, 'won', 76, 0.32763799999990795, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 2, 2, 'lost', 21, 0.08799100000000948, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 2, 3, 'won', 84, 0.25062299999989435, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 2, 4, 'lost', 47, 0.11953800000008563, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 2, 5, 'lost', 25, 0.07149699999997594, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 2, 6, 'lost', 14, 0.041351999999994504, '2026-11-21 15:04:14.52699+00');
INSERT INTO public.outcome VALUES (1, 1, 7, 'won', 173, 0.203283, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 1, 8, 'won', 60, 0.099949, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 1, 9, 'unwinnable', 1, 0.013671, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 1, 10, 'unwinnable', 1, 0.009975, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 1, 11, 'won', 82, 0.095812, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 1, 12, 'won', 47, 0.099848, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 2, 7, 'lost', 40, 0.23607000000014366, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 2, 8, 'lost', 28, 0.08877200000001473, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 2, 9, 'lost', 11, 0.053819999999982215, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 2, 10, 'lost', 9, 0.051966999999875085, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 2, 11, 'lost', 22, 0.08790099999989032, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.outcome VALUES (1, 2, 12, 'lost', 16, 0.04419600000016288, '2026-11-21 15:04:14.560323+00');
INSERT INTO public.regret VALUES (1, 2, 4, 'move', 68, 'waste-down', 102, '\x3b5a460d0d0a39000000000007000008043c050001000000000000080001000000080200000000010000000500000008085c5910100a010000000003490e0c000713051608360b19120b3c133b0a010000054b0000010000060006340b0e0100000205020a59', 6);
INSERT INTO public.regret VALUES (1, 2, 5, 'move', 74, 'run-reveal', 93, '\x1000020e0000000000000001000000000000000200010000000200000000020001000000023f5c0000000001000009480000060000000100000700000000010000075b00000000055231575a0100090000000001000256000000091b37', 6);
INSERT INTO public.regret VALUES (1, 2, 6, 'move', 16, 'waste-down', 48, '\x0d00000000000002380b4b4b000001000800000000000000010000000200000002020000010000020000000002254831', 6);
INSERT INTO public.regret VALUES (1, 2, 7, 'move', 98, 'waste-up', 139, '\x434e49494a0e0d420d5340560f0f0c0b000000000002000000010000000000000200000100000200000000000001000002000000000001000000020f0f0000000001000000020000000001000200000000000100020a0a00000000000100000000000200010000000007000100000000070001000000000800010008000000010000090005360b0a000330', 6);
INSERT INTO public.regret VALUES (1, 2, 8, 'move', 91, 'run-reveal', 95, '\x0b0000000000000000020100000000000000020d0b0200020100000002000000000100000002000000000100000008000000010000000002104f5b000001000000040000000100000000030001000350470000044a25210c5432104925210c', 6);
INSERT INTO public.regret VALUES (1, 2, 11, 'move', 68, 'turn', 88, '\x000000000000020000010000020d0d0a000000000000010002415c1000000000000000010000020d000000000200010002100000020000000001000000000002000100020000000600000501000000090000010000000350', 6);
INSERT INTO public.regret VALUES (1, 2, 12, 'move', 60, 'run-reveal', 63, '\x0d0d0e10000000000200000000010000000000000800084700010007000000000000010000000002000000010000000000000400010000000000092e571010', 6);
INSERT INTO public.ruleset VALUES (1, 'klondike-draw3', 'klondike', '{"draw": 3, "redeals": null, "partial_runs": true, "worrying_back": true}');
INSERT INTO public.solution VALUES (1, 1, 1, 115, '\x0f52000000000559000000000100000000020000000001000000000000020a3b3b590f0f394a490e0e0e0d484639060002000100000200075b57020400020000000100020002100f0a10000000010000020202020c0f0f10040200020c0a0f0f02020a0e0a0e0a0e0a00020d0b0a0b02020d0e');
INSERT INTO public.solution VALUES (1, 1, 3, 122, '\x5a31494a00020000000205000000040002080100020000000000010000000004000004010000040552500f540f0000000100000700000458100c00020f100b100c410c39594f3a070100040342430d10100c100c100c100f0f020e0000020f0d090100020900020c0c020a0a0f0e0a0a0e100b0f0a0b0f0f0a10');
INSERT INTO public.solution VALUES (1, 1, 4, 127, '\x5a460d0d0c39000000000007000008043c3f000100070000000000000100020b000600070006055200000500010000055253400000060005085c5b10100a0b5601000006020004205103490e0a3408044a0e000404581007020a0a0f0a0f0a0a0b0d0d0b0b0d0a0c0c0a0a0b0b0d0d0c0c0a0a0b0b0a0b0b0d0c0e0e0c0a0c');
INSERT INTO public.solution VALUES (1, 1, 5, 127, '\x105c3000020e3f3b0c0000000000000003500100000948000200000000020002010000070000060000010000075b592c3a5a00000008000100094f0000000001000207000002020b4a0e0d100d100d0d0000020100020e101002020d0d000002010007020210100d00020f0a1010560f0b58100f0f0e0b0f0b0a0b0a0a0b0c');
INSERT INTO public.solution VALUES (1, 1, 6, 122, '\x0d4b4a31000809480000050000000207464c4b00070200010006535040540000030000000100080000000608400c0001000203500f5c4800020d5a105b575948540700050002020d0d0f0d0b300a4a0e420d0e0d0e0e0d0c07010007020c0007380b0e100e100e100e0a0e0a0e0a0e0a0e0a0e0a0e0a0e0a0e02');
INSERT INTO public.solution VALUES (1, 2, 1, 164, '\x0f520004000000000000000100000000020000000001000000000000020a0f0f0002000100000002000000000100000000020000000100024a393b4b0e0e0e0d5341000000000001000006000000000100000000040000010000000500000100000008035710484609075b5710100e00000100090000000100020e0e0c0e0a0e101000000201000909020b0b0c0f0a0e0f0a0e0a0e0a0e0a00000209020210100d0e100a');
INSERT INTO public.solution VALUES (1, 2, 3, 155, '\x000000000000000002010002000000000000000100025a0000000000000008010000000900000000010000000231494a0000000400010000000004000004010000040956500f540f00000001000007000000070458100b0e0f10100b0e104f39071e3a01000400000100073f05443e430d10100f100f0c100f0e02100e0f0b0000020e0e0f0b0f0b0d0f0a0e0f0a021d08020f0b0f0b0f020a0b0f');
INSERT INTO public.solution VALUES (1, 1, 7, 120, '\x4e4943494a0e0d54560f0b410f420d0c310000000007000200000001000002000009020005360006000001000000000003060200010000020f0f0e030202000420580300000357100c5c100b0b0c0b0c0b0b0e0e0c0209020b0b0a100e100e3118490e31262c0209080210100e0e0d100a0a0a0f0f0e0d0e');
INSERT INTO public.solution VALUES (1, 1, 8, 145, '\x0b0000000500000000020d0200020b020c010000000200000000010000000000030001000350510f430f425351460000000000073f01000000060002104f5b2541594f0e5b23210001000000064c4e325b100003000100000507460303000001000003490e0c0c100c0a0c0200020d300a0f010002020d0c0d0c0d0d0f0d0f0d0d0f0f0d00020a0a0b020a0a0f0a0b0b0d');
INSERT INTO public.solution VALUES (1, 1, 11, 113, '\x5c1040373a000000000000020009480d425a0400050100000200000000000100000004584f0e0d0d06020a0a57595c4f493b0544000300065356530402000001000209020c0c00020e0003020202020009560f0c0a0c0a0c0a0c0a0c0a0b0a0b0f020d100d100d10100d0d0a0a0b0b100d');
INSERT INTO public.solution VALUES (1, 1, 12, 123, '\x0d0d0e10000000000205000000000100070000000200050000042e4954544a4b4c5b10105a41440001000000090003574800063700010000040200020004000100000002073e0552320a500f00020d0d0f0a020b0100020d0a0a0a0b1003000100020d0d0a00020d0d0d020a0a0d0e0d0b100c020a0a0a0c0c0e0d');
INSERT INTO public.solver VALUES (1, 'exact(nodes=1000000000, memory_mib=768)', 6, 'exact', '{"nodes": 1000000000, "memory_mib": 768}');
INSERT INTO public.solver VALUES (2, 'greedy', 1, 'greedy', '{}');
INSERT INTO public.status VALUES (1, 1, 'thoughtful-1', 0, 'winnable', 2, 2, 0, 4836, 115, NULL);
INSERT INTO public.status VALUES (1, 2, 'thoughtful-1', 1, 'unwinnable', 2, 0, 1, 71031, NULL, NULL);
INSERT INTO public.status VALUES (1, 3, 'thoughtful-1', 2, 'winnable', 2, 2, 0, 64, 122, NULL);
INSERT INTO public.status VALUES (1, 4, 'thoughtful-1', 3, 'winnable', 2, 1, 0, 115, 127, NULL);
INSERT INTO public.status VALUES (1, 5, 'thoughtful-1', 4, 'winnable', 2, 1, 0, 4661, 127, NULL);
INSERT INTO public.status VALUES (1, 6, 'thoughtful-1', 5, 'winnable', 2, 1, 0, 35028, 122, NULL);
INSERT INTO public.status VALUES (1, 7, 'thoughtful-1', 6, 'winnable', 2, 1, 0, 173, 120, NULL);
INSERT INTO public.status VALUES (1, 8, 'thoughtful-1', 7, 'winnable', 2, 1, 0, 60, 145, NULL);
INSERT INTO public.status VALUES (1, 9, 'thoughtful-1', 8, 'unwinnable', 2, 0, 1, 1, NULL, NULL);
INSERT INTO public.status VALUES (1, 10, 'thoughtful-1', 9, 'unwinnable', 2, 0, 1, 1, NULL, NULL);
INSERT INTO public.status VALUES (1, 11, 'thoughtful-1', 10, 'winnable', 2, 1, 0, 82, 113, NULL);
INSERT INTO public.status VALUES (1, 12, 'thoughtful-1', 11, 'winnable', 2, 1, 0, 47, 123, NULL);
INSERT INTO public.status_tally VALUES (1, 'thoughtful-1', 0, 12, 9, 3, 0);
INSERT INTO public.tally VALUES (1, 1, 'thoughtful-1', 0, 12, 9, 0, 3, 0, 116099, 51.97421899999999);
INSERT INTO public.tally VALUES (1, 2, 'thoughtful-1', 0, 12, 2, 10, 0, 0, 393, 1.4613649999999367);
SELECT pg_catalog.setval('public.bound_id_seq', 2, true);
SELECT pg_catalog.setval('public.deal_id_seq', 12, true);
SELECT pg_catalog.setval('public.job_id_seq', 1, true);
SELECT pg_catalog.setval('public.ruleset_id_seq', 1, true);
SELECT pg_catalog.setval('public.solver_id_seq', 2, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.bound
    ADD CONSTRAINT pk_bound PRIMARY KEY (id);
ALTER TABLE ONLY public.dead_end
    ADD CONSTRAINT pk_dead_end PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.deal
    ADD CONSTRAINT pk_deal PRIMARY KEY (id);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT pk_job PRIMARY KEY (id);
ALTER TABLE ONLY public.job_solver
    ADD CONSTRAINT pk_job_solver PRIMARY KEY (job_id, place);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT pk_outcome PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT pk_regret PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.ruleset
    ADD CONSTRAINT pk_ruleset PRIMARY KEY (id);
ALTER TABLE ONLY public.solution
    ADD CONSTRAINT pk_solution PRIMARY KEY (ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.solver
    ADD CONSTRAINT pk_solver PRIMARY KEY (id);
ALTER TABLE ONLY public.status
    ADD CONSTRAINT pk_status PRIMARY KEY (ruleset_id, deal_id);
ALTER TABLE ONLY public.status_tally
    ADD CONSTRAINT pk_status_tally PRIMARY KEY (ruleset_id, dealer, block);
ALTER TABLE ONLY public.tally
    ADD CONSTRAINT pk_tally PRIMARY KEY (ruleset_id, solver_id, dealer, block);
ALTER TABLE ONLY public.deal
    ADD CONSTRAINT uq_deal_dealer_seed UNIQUE (dealer, seed);
ALTER TABLE ONLY public.ruleset
    ADD CONSTRAINT uq_ruleset_slug UNIQUE (slug);
ALTER TABLE ONLY public.solver
    ADD CONSTRAINT uq_solver_name_version UNIQUE (name, version);
CREATE INDEX ix_bound_sample ON public.bound USING btree (ruleset_id, dealer, first_seed, n);
CREATE INDEX ix_deal_digest ON public.deal USING btree (digest);
CREATE UNIQUE INDEX ix_deal_imported_digest ON public.deal USING btree (digest) WHERE (dealer IS NULL);
CREATE INDEX ix_job_state ON public.job USING btree (state);
CREATE INDEX ix_outcome_deal ON public.outcome USING btree (deal_id);
CREATE INDEX ix_solver_method ON public.solver USING btree (method);
CREATE INDEX ix_status_length ON public.status USING btree (ruleset_id, solution_length);
CREATE INDEX ix_status_nodes ON public.status USING btree (ruleset_id, nodes);
CREATE INDEX ix_status_seed ON public.status USING btree (ruleset_id, dealer, seed);
CREATE INDEX ix_status_status ON public.status USING btree (ruleset_id, status, dealer, seed);
ALTER TABLE ONLY public.bound
    ADD CONSTRAINT fk_bound_job_id FOREIGN KEY (job_id) REFERENCES public.job(id);
ALTER TABLE ONLY public.bound
    ADD CONSTRAINT fk_bound_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.dead_end
    ADD CONSTRAINT fk_dead_end_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT fk_job_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.job_solver
    ADD CONSTRAINT fk_job_solver_job_id FOREIGN KEY (job_id) REFERENCES public.job(id);
ALTER TABLE ONLY public.job_solver
    ADD CONSTRAINT fk_job_solver_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_deal_id FOREIGN KEY (deal_id) REFERENCES public.deal(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
ALTER TABLE ONLY public.regret
    ADD CONSTRAINT fk_regret_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.solution
    ADD CONSTRAINT fk_solution_ruleset_id_solver_id_deal_id FOREIGN KEY (ruleset_id, solver_id, deal_id) REFERENCES public.outcome(ruleset_id, solver_id, deal_id);
ALTER TABLE ONLY public.status
    ADD CONSTRAINT fk_status_deal_id FOREIGN KEY (deal_id) REFERENCES public.deal(id);
ALTER TABLE ONLY public.status
    ADD CONSTRAINT fk_status_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.status_tally
    ADD CONSTRAINT fk_status_tally_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.tally
    ADD CONSTRAINT fk_tally_ruleset_id FOREIGN KEY (ruleset_id) REFERENCES public.ruleset(id);
ALTER TABLE ONLY public.tally
    ADD CONSTRAINT fk_tally_solver_id FOREIGN KEY (solver_id) REFERENCES public.solver(id);
