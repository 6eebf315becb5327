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
INSERT INTO public.alembic_version VALUES ('0001');
INSERT INTO public.bound VALUES (1, 1, 'thoughtful-1', 0, 9, 5, 1, 1, '2026-11-20 19:08:01.047087+00');
INSERT INTO public.bound VALUES (2, 1, 'thoughtful-1', 0, 12, 7, 2, 1, '2026-11-20 19:08:01.102262+00');
INSERT INTO public.dead_end VALUES (1, 1, 6, 'relaxed', '9C TS JS TD');
INSERT INTO public.dead_end VALUES (1, 1, 10, 'relaxed', 'QD 5H 3C 8H 8C 7D 9S 7H');
INSERT INTO public.deal VALUES (1, 'klondike', 'thoughtful-1', 3, '5386a052a5b4fa9cea2628e70eb90c60', '\x09122b1f0a042a02002830112c0c2d0e071e1d192e14210501101327032f1a06263125081c151733220b20320f29180d2423161b');
INSERT INTO public.deal VALUES (2, 'klondike', 'thoughtful-1', 4, '7c3d89b88dd275027fcd1867d5b114f8', '\x0a15060b3322231d160f0c0232270726212c2b2529282d0e31172401122f032a091b101f180508141e11130d301c1a201900042e');
INSERT INTO public.deal VALUES (3, 'klondike', 'thoughtful-1', 5, '60a7ffe9b6c268e98b8d870ad695feac', '\x22001c0518262a1a0b02331b25192116032729321210311714070f13300c0d2815200a2d1e04092f24232e1d1f0108062c2b0e11');
INSERT INTO public.deal VALUES (4, 'klondike', 'thoughtful-1', 6, '1e25a53cf4fc0d3e9837981094776d4d', '\x29220c140f0d001e0709030623262c16170b021033282a04320521151c2f1f1a2e0e12202b1d131b08180a19112501302d312724');
INSERT INTO public.deal VALUES (5, 'klondike', 'thoughtful-1', 7, 'd0e68e117e40468cea4e9d0b8c36f6f7', '\x2f04021a0f111e1f2d050321302b23281b100932220b181c16152612250d27292c1907200c0a1d312e130e242a33170601140800');
INSERT INTO public.deal VALUES (6, 'klondike', 'thoughtful-1', 8, '232ab3c246aba551a9d9456a2635078f', '\x0118130003211b12101d1a081419311e162e2c0720300b05322b26090f0a2a1c23250c271f0615170d2d042902222811330e2f24');
INSERT INTO public.deal VALUES (7, 'klondike', 'thoughtful-1', 0, '7d51204a1f0981137de1faf4f5b629eb', '\x07181f1921332c30250a0605021c172220010b2e002309131b2a1426112f1a101e0e32122d0f0d2904160c1d24152b0328310827');
INSERT INTO public.deal VALUES (8, 'klondike', 'thoughtful-1', 1, '3ce9f5a80c80268f40f39037bf7ec26f', '\x2824020f132b18192731153305090e231d1b321a11202c222512291f0b2d30000d041408160c10212a03012e0a1e171c0726062f');
INSERT INTO public.deal VALUES (9, 'klondike', 'thoughtful-1', 2, 'e48ed2012bd1297da2790e7dd76e2a20', '\x2f0a3115281627062d222921172c300c0d12092a0b1a13071000141d1825010332190e1e2e0f1105202433261f1c1b082b230402');
INSERT INTO public.deal VALUES (10, 'klondike', 'thoughtful-1', 9, '7d19c8509dc600dc961dfdae3cde9e85', '\x1826050e061d251a272d2f23210f13280d160824170b10151e20321f31031c2a0419110c22301b01072c29022b000a2e12140933');
INSERT INTO public.deal VALUES (11, 'klondike', 'thoughtful-1', 10, 'ac8a45814199d2754e6e0eafd8e3bcb7', '\x0f11062327241908010b122a30022d1d0d201c2f2e211f322b140029052813101b071e04092c0e171a0a2631160315330c182522');
INSERT INTO public.deal VALUES (12, 'klondike', 'thoughtful-1', 11, '04070ca5f5b6e920af75e22365a9b0ce', '\x26232e311420221302000c152132060e03172b1b1c27250b0904300a241f2f0f2a0d1e1018121d0108052c281a2d193311162907');
INSERT INTO public.job VALUES (1, 1, 'thoughtful-1', 0, 12, 'done', 24, NULL, NULL, 'host/00000000/1/1.00/000000', '2026-11-20 19:07:55.689803+00', '2026-11-20 19:07:55.706521+00', '2026-11-20 19:08:01.119281+00', '2026-11-20 19:08:01.143402+00');
INSERT INTO public.job_solver VALUES (1, 0, 1);
INSERT INTO public.job_solver VALUES (1, 1, 2);
INSERT INTO public.outcome VALUES (1, 1, 1, 'gave_up', 11, 0.03646800000001171, '2026-11-20 19:07:59.430527+00');
INSERT INTO public.outcome VALUES (1, 1, 2, 'gave_up', 11, 0.03646800000001171, '2026-11-20 19:07:59.430527+00');
INSERT INTO public.outcome VALUES (1, 1, 3, 'gave_up', 17, 0.03646800000001171, '2026-11-20 19:07:59.430527+00');
INSERT INTO public.outcome VALUES (1, 2, 1, 'won', 151, 1.113194, '2026-11-20 19:07:59.430527+00');
INSERT INTO public.outcome VALUES (1, 2, 2, 'won', 6673, 1.936783, '2026-11-20 19:07:59.430527+00');
INSERT INTO public.outcome VALUES (1, 2, 3, 'gave_up', 20001, 3.359979, '2026-11-20 19:07:59.430527+00');
INSERT INTO public.outcome VALUES (1, 1, 4, 'gave_up', 15, 2.9667910000000055, '2026-11-20 19:07:59.616017+00');
INSERT INTO public.outcome VALUES (1, 1, 5, 'gave_up', 12, 2.9667910000000055, '2026-11-20 19:07:59.616017+00');
INSERT INTO public.outcome VALUES (1, 1, 6, 'unwinnable', 7, 2.9667910000000055, '2026-11-20 19:07:59.616017+00');
INSERT INTO public.outcome VALUES (1, 2, 4, 'won', 195, 0.535742, '2026-11-20 19:07:59.616017+00');
INSERT INTO public.outcome VALUES (1, 2, 5, 'won', 60, 0.269133, '2026-11-20 19:07:59.616017+00');
INSERT INTO public.outcome VALUES (1, 2, 6, 'unwinnable', 1, 0.024047, '2026-11-20 19:07:59.616017+00');
INSERT INTO public.outcome VALUES (1, 1, 7, 'gave_up', 9, 1.2260206666666607, '2026-11-20 19:08:01.026634+00');
INSERT INTO public.outcome VALUES (1, 1, 8, 'gave_up', 15, 1.2260206666666607, '2026-11-20 19:08:01.026634+00');
INSERT INTO public.outcome VALUES (1, 1, 9, 'gave_up', 12, 1.2260206666666607, '2026-11-20 19:08:01.026634+00');
INSERT INTO public.outcome VALUES (1, 2, 7, 'gave_up', 20000, 9.706478, '2026-11-20 19:08:01.026634+00');
INSERT INTO public.outcome VALUES (1, 2, 8, 'gave_up', 20001, 3.604105, '2026-11-20 19:08:01.026634+00');
INSERT INTO public.outcome VALUES (1, 2, 9, 'won', 64, 0.690843, '2026-11-20 19:08:01.026634+00');
INSERT INTO public.outcome VALUES (1, 1, 10, 'unwinnable', 7, 2.9998283333333062, '2026-11-20 19:08:01.079085+00');
INSERT INTO public.outcome VALUES (1, 1, 11, 'gave_up', 12, 2.9998283333333062, '2026-11-20 19:08:01.079085+00');
INSERT INTO public.outcome VALUES (1, 1, 12, 'gave_up', 11, 2.9998283333333062, '2026-11-20 19:08:01.079085+00');
INSERT INTO public.outcome VALUES (1, 2, 10, 'unwinnable', 1, 0.077057, '2026-11-20 19:08:01.079085+00');
INSERT INTO public.outcome VALUES (1, 2, 11, 'won', 90, 0.342436, '2026-11-20 19:08:01.079085+00');
INSERT INTO public.outcome VALUES (1, 2, 12, 'won', 47, 0.289006, '2026-11-20 19:08:01.079085+00');
INSERT INTO public.ruleset VALUES (1, 'klondike-draw3', 'klondike', '{"draw": 3, "redeals": null, "partial_runs": true, "worrying_back": true}');
INSERT INTO public.solution VALUES (1, 2, 1, 191, '\x5a460d0d0c390000000000000008043c00010000000000073f000000010000000005520000000100000000000005000100000005520200000005590001000700000000000100020b00000000010000075b10100a0b0000000100000003490e0a34000807000100075b100f0000000100044a0e00000100060746000001000754400c51130005031f5051041507310a490e360b0e3c0c310a360b490e3c0c310a360b0a0b0b490e020a0a0c0a0c0a0c0a0c0a0c0a0c0a0c0a0c0a0c0a0c0a0c');
INSERT INTO public.solution VALUES (1, 2, 2, 152, '\x105c493f303b00020d0c0000000000000001000000020000000002000350020100000002000000000100000948000000000100000700000000010000075b590000000001000000065a00000100094f000000000100020700000000010000020229370b4a0e0d100d100d0d0e1010000002010002100210020d0d0d5c10560f0b2f0a58000200020c100f0f520202020b0b0c0b0c0b0c0b0c');
INSERT INTO public.solution VALUES (1, 2, 4, 202, '\x4e4943494a0e0d54560f0b0f41420d0c31000000000002000000010000020000000000000100000200000000000001000000020f0f000000000100000002000000000100020000000000000100020e0e000000000001000000000200030001000000000600010003000000000100000005360000010000090403000003261f2058330a57100c5c100b0b0c0b0c0b0b0a0c02065a0637020d0d0a0d0e0d0e0d310a0f0a02181b5a201f18490e310a0b201f262906490e310a0b2004430d370b0a020d0d0e0d0e0d0e0d0e');
INSERT INTO public.solution VALUES (1, 2, 5, 167, '\x0b00000000000000020d0200020b02010000000200000000010000000200000000010000000000030001000350510f0f4342535146000000000002010000000002104f5b000100000006000001000000064c4e320003143e254159480d5a5b100e40225a24000100000815070303000001000003490e0f0f0d0f0d0f020002420d300a010002020d0f0d0f0d0f0d0f0d0f300a0b420d510f300a0f0a00020d0d0b020d0b0d0b0d');
INSERT INTO public.solution VALUES (1, 2, 9, 176, '\x5a31494a00020000000200000000010002000000000000000201000000000000040001000000050000000001000000000400000804010000040552500f540f00000001000000000458100c00020f100b100c410c3c584f395a010000020009000729370100040342430d0a0a0f0a0f0a0f0a0f0f3c0c430000020f0b4e540f4e010009020a0a020f0f0a0f0a0f340b100b560f201a192e0a340b59102029272800052e0a340b3e0c020d0a0d0a0d0a0d');
INSERT INTO public.solution VALUES (1, 2, 11, 175, '\x5c1040373a00000000000002000001000002000000000000010000000000000400000100000000000009480d425a000100000004584f0e0d0d00000000010000000002000000010000000206020a0a57000000010002000000000100000200000005595c4f493b0e0100000002000100000202020a0a1f2144261f000306535653043c0309020b0b0a0009560f0b0a0b0a0b0a0b0a0b0a0b0a0b5710430d330a370b0f020d100d100d100d100d100d');
INSERT INTO public.solution VALUES (1, 2, 12, 171, '\x0d0d0e1000000000020000000001000700000000000000010000000002000000042e4954544a04430001000000000009000001000000070000000100000000030000010000000500054b4a5b1010584157480000010000000200063700010000040200000100000002043c0552320a500f470d5300020d0d0a430d370b0100020d0a0a0a0b10430d330a0d0d0e57000100020d310a3e0c000100020b0b0200020b0e0b0e0d020e0e0d0e0d');
INSERT INTO public.solver VALUES (1, 'dead-end', 1, 'dead-end', '{}');
INSERT INTO public.solver VALUES (2, 'exact(nodes=20000, memory_mib=512)', 1, 'exact', '{"nodes": 20000, "memory_mib": 512}');
INSERT INTO public.status VALUES (1, 1, 'thoughtful-1', 3, 'winnable', 2, 1, 0, 151, 191, NULL);
INSERT INTO public.status VALUES (1, 2, 'thoughtful-1', 4, 'winnable', 2, 1, 0, 6673, 152, NULL);
INSERT INTO public.status VALUES (1, 3, 'thoughtful-1', 5, 'unresolved', 2, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (1, 4, 'thoughtful-1', 6, 'winnable', 2, 1, 0, 195, 202, NULL);
INSERT INTO public.status VALUES (1, 5, 'thoughtful-1', 7, 'winnable', 2, 1, 0, 60, 167, NULL);
INSERT INTO public.status VALUES (1, 6, 'thoughtful-1', 8, 'unwinnable', 2, 0, 2, 1, NULL, 'relaxed');
INSERT INTO public.status VALUES (1, 7, 'thoughtful-1', 0, 'unresolved', 2, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (1, 8, 'thoughtful-1', 1, 'unresolved', 2, 0, 0, NULL, NULL, NULL);
INSERT INTO public.status VALUES (1, 9, 'thoughtful-1', 2, 'winnable', 2, 1, 0, 64, 176, NULL);
INSERT INTO public.status VALUES (1, 10, 'thoughtful-1', 9, 'unwinnable', 2, 0, 2, 1, NULL, 'relaxed');
INSERT INTO public.status VALUES (1, 11, 'thoughtful-1', 10, 'winnable', 2, 1, 0, 90, 175, NULL);
INSERT INTO public.status VALUES (1, 12, 'thoughtful-1', 11, 'winnable', 2, 1, 0, 47, 171, NULL);
INSERT INTO public.status_tally VALUES (1, 'thoughtful-1', 0, 12, 7, 2, 0);
INSERT INTO public.tally VALUES (1, 1, 'thoughtful-1', 0, 12, 0, 0, 2, 10, 139, 21.68732399999995);
INSERT INTO public.tally VALUES (1, 2, 'thoughtful-1', 0, 12, 7, 0, 2, 3, 67284, 21.948803);
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
