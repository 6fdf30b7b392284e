# Three stages: what npm needs to install, and what builds the console, stays behind. The service's TypeScript runs as
# it stands.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package of ours needs its install script, and one that wanted to run one should not.
RUN npm ci --omit=dev --ignore-scripts

FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build-console.ts ./scripts/
COPY sdk/src ./sdk/src
COPY console ./console
RUN node scripts/build-console.ts

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY src ./src
COPY cli ./cli
COPY --from=console /app/console/dist ./console/dist
RUN mkdir /data /statements && chown node:node /data
ARG GIT_COMMIT=
# glibc keeps what a thread has freed in an arena of that thread; with two arenas the service takes some 20 MB less.
ENV MALLOC_ARENA_MAX=2
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data STATEMENTS_DIR=/statements GIT_COMMIT=$GIT_COMMIT
USER node
VOLUME /data
EXPOSE 3000
# The image has no curl, and needs none.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# As npm start: without bounds the heap grows with the machine, not with what is in it.
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=512", "--no-maglev", "--no-sparkplug", "src/main.ts"]
