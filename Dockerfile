# The program as an image: dashboard, runner, Dask scheduler and worker are one image with different
# commands (compose.yaml). `deploy/check_image` builds it on a bare Debian root; docs/cluster.md says
# what that does and does not show.
#
#     docker build --tag thoughtful --build-arg THOUGHTFUL_REVISION="$(git describe --always --dirty=+)" .
#
# Debian's own Python, the version that the tests run with, gets its security updates from Debian.

FROM debian:12.15-slim AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 python3-venv
WORKDIR /build
COPY pyproject.toml constraints.txt ./
# Libraries first: a change to the program alone does not install them again.
RUN python3 -m venv /opt/thoughtful \
    && python3 -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; more = p['optional-dependencies']; names = [*p['dependencies'], *more['data'], *more['dashboard'], *more['cluster'], *more['auth']]; print(*(n for n in names if not n.startswith('thoughtful')), sep='\n')" > wanted.txt \
    && /opt/thoughtful/bin/pip install --no-cache-dir --no-compile --constraint constraints.txt --requirement wanted.txt
COPY README.md LICENSE ./
COPY engine engine
COPY solvers solvers
COPY catalogue catalogue
COPY dashboard dashboard
COPY migrations migrations
COPY thoughtful thoughtful
COPY thoughtful_command.py ./
# The tests that libraries bring are left out, and so is pip, which nothing needs again. Byte code is
# compiled once here, since the running image cannot write beside its modules.
RUN /opt/thoughtful/bin/pip install --no-cache-dir --no-compile --constraint constraints.txt --no-deps . \
    && /opt/thoughtful/bin/pip check \
    && /opt/thoughtful/bin/pip uninstall --quiet --yes setuptools pip \
    && find /opt/thoughtful -type d -name tests -prune -exec rm -rf {} + \
    && python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/thoughtful


FROM debian:12.15-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log \
    && useradd --uid 1000 --create-home --shell /usr/sbin/nologin thoughtful \
    && install --directory --owner thoughtful --group thoughtful /var/cache/thoughtful /var/lib/thoughtful
COPY --from=build /opt/thoughtful /opt/thoughtful
COPY --chmod=755 deploy/healthy /usr/local/bin/healthy

# One thread a process: parallel work is done by as many workers as there are cores.
ENV PATH=/opt/thoughtful/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    NUMBA_CACHE_DIR=/var/cache/thoughtful \
    NUMBA_NUM_THREADS=1 \
    OMP_NUM_THREADS=1 \
    OPENBLAS_NUM_THREADS=1 \
    MKL_NUM_THREADS=1 \
    DASK_TEMPORARY_DIRECTORY=/tmp \
    DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False \
    THOUGHTFUL_DATABASE_URL=sqlite:////var/lib/thoughtful/thoughtful.db

USER thoughtful
WORKDIR /var/lib/thoughtful
# Kernels of the searches that most jobs ask for; whatever else is asked for, or another processor
# than that of the machine that built this, is compiled when first used, into the same folder.
RUN thoughtful solve thoughtful-1:0 --rules klondike-draw1 --solver exact \
    && thoughtful solve thoughtful-1:0 --rules klondike-draw3 --solver exact \
    && thoughtful solve thoughtful-1:0 --rules klondike-draw3 --solver exact-plain \
    && thoughtful solve thoughtful-1:0 --rules klondike-draw3 --solver dead-end

# After all that takes long: another revision of the source builds nothing else anew.
ARG THOUGHTFUL_REVISION=""
ENV THOUGHTFUL_REVISION=${THOUGHTFUL_REVISION}

# The catalogue, unless it is in PostgreSQL, and compiled kernels.
VOLUME ["/var/lib/thoughtful", "/var/cache/thoughtful"]
EXPOSE 8501
# Of the dashboard; compose.yaml has those of the other services.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["healthy", "http://127.0.0.1:8501/healthz"]
ENTRYPOINT ["thoughtful"]
CMD ["--help"]
