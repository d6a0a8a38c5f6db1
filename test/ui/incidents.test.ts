import { expect, test } from 'vitest';
import type { Incident, Page as Listed } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { receive } from '../system/kit/receiver.ts';
import { startService } from '../system/kit/service.ts';
