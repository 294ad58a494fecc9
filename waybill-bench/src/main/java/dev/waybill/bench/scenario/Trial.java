package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;

/**
 * Who does it, where, and how large.
 *
 * @param entry the contender
 * @param ground the server
 * @param scale the size
 */
public record Trial(Entry entry, Ground ground, Scale scale) {}
