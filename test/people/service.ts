import { type App, startApp } from '../../packages/server/src/app.ts';
import { parseConfig } from '../../packages/server/src/config.ts';
import { createLogger } from '../../packages/server/src/observe/logger.ts';
import type { Definition } from '../../packages/server/src/people/contract.ts';
import { Admin } from '../system/kit/admin.ts';
import { eventually } from '../system/kit/eventually.ts';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import type { Settings } from '../system/kit/service.ts';

const TOKEN = 'people-test-admin-token-4c1e';

/** The whole service in this process, whose people/ a test can speak to; collection and delivery go over HTTP. */
export class PeopleService extends Admin {
  app!: App;
  readonly dataDir: string = temporaryFolder();
  readonly #settings: Settings;

  constructor(settings: Settings = {}) {
    super(TOKEN);
    this.#settings = settings;
  }

  override get url(): string {
    return this.app.url;
  }

  get people(): App['people'] {
    return this.app.people;
  }

  async start(): Promise<this> {
    const config = parseConfig({
      env: {
        MILLRACE_PORT: '0',
        MILLRACE_DATA_DIR: this.dataDir,
        MILLRACE_ADMIN_TOKEN: TOKEN,
        MILLRACE_ALLOW_PRIVATE_URLS: 'true',
        ...this.#settings,
      },
    });
    this.app = await startApp(config, createLogger({ level: 'error', to: process.stderr }));
    return this;
  }

  async restart(): Promise<void> {
    await this.app.stop();
    await this.start();
  }

  async close(): Promise<void> {
    await this.app.stop();
    removeFolder(this.dataDir);
  }

  /** Resolves when every person has been decided of and every message was taken by the log. */
  async decided(definition: Definition): Promise<Definition> {
    const kind = 'audience' in definition.what ? 'audience' : 'trait';
    return eventually(
      () => this.people.definitions.get(kind, definition.id),
      ({ job }) => job === null && this.people.status().outbox === 0,
    );
  }
}
