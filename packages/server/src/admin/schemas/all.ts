import type { TSchema } from 'typebox';
import * as account from './account.ts';
import * as audience from './audience.ts';
import { Backup, NewBackup } from './backup.ts';
import * as check from './check.ts';
import * as definition from './definition.ts';
import * as delivery from './delivery.ts';
import * as destination from './destination.ts';
import { HealthReport, Loopback, Loss } from './health.ts';
import { LiveEvent, LiveRate, LiveRejection } from './live.ts';
import * as person from './person.ts';
import { FieldError, Problem } from './problem.ts';
import * as regulation from './regulation.ts';
import * as replay from './replay.ts';
import * as settingsFile from './settings-file.ts';
import { nameOf } from './shape.ts';
import * as source from './source.ts';
import * as stats from './stats.ts';

/** Every named schema, so that references to them can be resolved and the OpenAPI document lists them. */
export const SCHEMAS: readonly TSchema[] = [
  FieldError,
  Problem,
  Loss,
  Loopback,
  Backup,
  NewBackup,
  source.Source,
  source.Quota,
  source.OldKey,
  source.KeyRotation,
  source.NewSource,
  source.SourceChange,
  source.SourceTotals,
  source.Rejection,
  source.RejectionGroup,
  destination.CatalogItem,
  destination.WebhooksSettings,
  destination.TrackFilter,
  destination.Destination,
  destination.NewDestination,
  destination.DestinationChange,
  destination.Counts,
  destination.LaneCounts,
  destination.DestinationStatus,
  delivery.Attempt,
  delivery.TestCall,
  delivery.TestedUrl,
  delivery.TestResult,
  check.NewUrlCheck,
  check.UrlCheck,
  check.SignatureCheck,
  check.SignatureVerdict,
  delivery.Delivery,
  delivery.Trace,
  delivery.EventSummary,
  delivery.FoundEvent,
  delivery.SendAgain,
  delivery.SentAgain,
  replay.NewReplay,
  replay.ReplayPreview,
  replay.Replay,
  regulation.NewRegulation,
  regulation.RegulationReach,
  regulation.Regulation,
  regulation.RegulationReceipt,
  regulation.RegulationSubject,
  regulation.RegulationDetails,
  regulation.RegulationReport,
  regulation.Suppression,
  definition.Scalar,
  definition.Test,
  definition.Period,
  definition.EventSelection,
  definition.EventCondition,
  definition.Condition,
  definition.TraitDefinition,
  audience.Audience,
  audience.NewAudience,
  audience.AudienceChange,
  audience.AudienceToPreview,
  audience.AudiencePreview,
  audience.ComputedTrait,
  audience.NewComputedTrait,
  audience.ComputedTraitChange,
  audience.ComputedTraitToPreview,
  audience.ComputedTraitPreview,
  audience.PersonName,
  audience.Member,
  audience.SizePoint,
  person.Person,
  person.NewIdentity,
  person.JoinedPerson,
  person.Reason,
  person.Why,
  person.PeopleStatus,
  stats.StatsTotal,
  stats.StatsBucket,
  stats.Stats,
  stats.OverviewDestination,
  stats.OverviewSource,
  stats.Overview,
  LiveEvent,
  LiveRejection,
  LiveRate,
  account.Account,
  account.AccountChange,
  account.SignIn,
  account.Session,
  account.ListedSession,
  account.PasswordChange,
  account.NewInvite,
  account.Invite,
  account.CreatedInvite,
  account.InviteSecret,
  account.AcceptedInvite,
  account.ApiToken,
  account.NewApiToken,
  account.CreatedApiToken,
  account.AuditEntry,
  settingsFile.SettingsFile,
  settingsFile.NewSettings,
  settingsFile.FieldChange,
  settingsFile.PlannedChange,
  settingsFile.SettingsPlan,
  settingsFile.AppliedSettings,
  settingsFile.ProcessSetting,
  HealthReport,
];

/** The same by name. */
export const SCHEMAS_BY_NAME: Readonly<Record<string, TSchema>> = Object.fromEntries(
  SCHEMAS.map((schema) => [nameOf(schema), schema]),
);
