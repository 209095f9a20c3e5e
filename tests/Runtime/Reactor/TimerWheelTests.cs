namespace Ioxide.Tests;

/// <summary>
/// The wheel fires every deadline at exactly its tick, in order, whatever level it waited on. It is compared with a list that
/// is searched; no clock and no ring is involved.
/// </summary>
public class TimerWheelTests(ITestOutputHelper output)
{
    private const long Span = 1L << 30;

    public static TheoryData<long> Distances =>
    [
        1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8192, 262_143, 262_144, 262_145, (1 << 24) - 1, 1 << 24, (1 << 24) + 1,
        Span - 1, Span, Span + 1, (63L << 24) + 5, 3 * Span + 12_345, 40L * 24 * 3600 * 1000,
    ];

    [Theory, MemberData(nameof(Distances))]
    public void FiresAtExactlyItsTick(long distance)
    {
        foreach (long start in new[] { 0L, 1, 63, 4095, Span - 1, (1L << 40) + 77, (1L << 41) - 1 })
        {
            var wheel = new TimerWheel(start);
            var entry = new Entry(wheel);
            wheel.Add(entry, start + distance);

            wheel.Advance(start + distance - 1);
            Assert.Empty(entry.FiredAt);
            Assert.Equal(start + distance, wheel.NextTick());
            wheel.Advance(start + distance);
            Assert.Equal([start + distance], entry.FiredAt);
            Assert.Equal((0, null), (wheel.Count, wheel.NextTick()));
        }
    }

    [Theory, MemberData(nameof(Distances))]
    public void FiresAtExactlyItsTickWhereTheHandComesInSmallStepsOrOneJump(long distance)
    {
        const long Start = (1L << 33) + 12_345;
        var wheel = new TimerWheel(Start);
        var entry = new Entry(wheel);
        wheel.Add(entry, Start + distance);
        for (int steps = 0; wheel.NextTick() is { } next; steps++)
        {
            Assert.InRange(next, wheel.CurrentTick + 1, Start + distance);
            Assert.True(steps < 400, "The wheel moves in too many steps.");
            wheel.Advance(next);
        }

        Assert.Equal([Start + distance], entry.FiredAt);

        var jump = new TimerWheel(Start);
        var other = new Entry(jump);
        jump.Add(other, Start + distance);
        jump.Advance(Start + (10 * Span));
        Assert.Equal([Start + distance], other.FiredAt);
        Assert.Equal(Start + (10 * Span), jump.CurrentTick);
    }

    [Fact]
    public void AgreesWithASearchedListOverTwentyThousandRandomMoves()
    {
        int seed = Environment.TickCount;
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var wheel = new TimerWheel(random.NextInt64(1L << 41));
        var model = new List<Entry>();
        int fired = 0;
        for (int move = 0; move < 20_000; move++)
        {
            switch (random.Next(10))
            {
                case < 5:
                    var added = new Entry(wheel);
                    wheel.Add(added, wheel.CurrentTick + RandomDistance(random));
                    model.Add(added);
                    break;
                case < 7 when model.Count > 0:
                    Entry removed = model[random.Next(model.Count)];
                    wheel.Remove(removed);
                    wheel.Remove(removed);
                    model.Remove(removed);
                    break;
                default:
                    long to = wheel.CurrentTick + RandomDistance(random) - 1;
                    if (random.Next(2) == 0 && model.Count > 0)
                    {
                        to = model.Min(entry => entry.DueTick) + random.Next(2);
                    }

                    fired += AdvanceAndCompare(wheel, model, to);
                    break;
            }

            Assert.Equal(model.Count, wheel.Count);
            long? first = model.Count == 0 ? null : model.Min(entry => entry.DueTick);
            Assert.True(
                first is null ? wheel.NextTick() is null : wheel.NextTick() > wheel.CurrentTick && wheel.NextTick() <= first,
                $"At {wheel.CurrentTick} the next tick is {wheel.NextTick()}, the first deadline {first} (seed {seed}, move {move})");
        }

        AdvanceAndCompare(wheel, model, wheel.CurrentTick + (200 * Span));
        Assert.Empty(model);
        output.WriteLine($"{fired} fired on the way");
        Assert.True(fired > 1000);
    }

    [Fact]
    public void ADeadlineInThePastFiresAtTheNextTick()
    {
        var wheel = new TimerWheel(1000);
        var entry = new Entry(wheel);
        wheel.Add(entry, 5);

        Assert.Equal(1001, wheel.NextTick());
        wheel.Advance(1001);
        Assert.Equal([1001L], entry.FiredAt);
    }

    [Fact]
    public void TheHandDoesNotGoBack()
    {
        var wheel = new TimerWheel(1000);
        var entry = new Entry(wheel);
        wheel.Add(entry, 1010);
        wheel.Advance(1005);
        wheel.Advance(900);
        Assert.Equal(1005, wheel.CurrentTick);
        wheel.Advance(1010);

        Assert.Equal([1010L], entry.FiredAt);
    }

    [Fact]
    public void AnEntryMayScheduleItselfAgainWhenItFires()
    {
        var wheel = new TimerWheel(0);
        Entry entry = null!;
        entry = new Entry(wheel, () => wheel.Add(entry, wheel.CurrentTick + 64));
        wheel.Add(entry, 64);
        wheel.Advance(640);

        Assert.Equal(Enumerable.Range(1, 10).Select(round => round * 64L), entry.FiredAt);
        Assert.True(entry.IsScheduled);
    }

    /// <summary>A round of a level is as long as its slots reach: what is due a whole round later must not stand before what is due now.</summary>
    [Theory, Each(63, 64, 65, 4096, 262_144, 1 << 24)]
    public void AnEntryThatSchedulesItselfAgainDoesNotMakeOthersOfItsTickLate(long distance)
    {
        const long Due = 1L << 24;
        var wheel = new TimerWheel(0);
        var entries = new Entry[3];
        for (int index = 0; index < entries.Length; index++)
        {
            Entry entry = null!;
            entries[index] = entry = new Entry(wheel, () => wheel.Add(entry, wheel.CurrentTick + distance));
            wheel.Add(entry, Due);
        }

        wheel.Advance(Due + (2 * distance));

        Assert.All(entries, entry => Assert.Equal([Due, Due + distance, Due + (2 * distance)], entry.FiredAt));
    }

    [Fact]
    public void AnEntryMayTakeOutOthersOfItsOwnTick()
    {
        var wheel = new TimerWheel(0);
        var entries = new Entry[3];
        for (int index = 0; index < entries.Length; index++)
        {
            entries[index] = new Entry(wheel, () => Array.ForEach(entries, wheel.Remove));
            wheel.Add(entries[index], 10);
        }

        wheel.Advance(10);
        Assert.Single(entries.SelectMany(entry => entry.FiredAt));
        Assert.Equal(0, wheel.Count);
    }

    [Fact]
    public void WhatThrowsDoesNotMakeOthersOfItsTickLate()
    {
        var wheel = new TimerWheel(0);
        Entry[] entries = [.. Enumerable.Range(0, 3).Select(_ => new Entry(wheel, () => throw new InvalidOperationException("due")))];
        foreach (Entry entry in entries)
        {
            wheel.Add(entry, 10);
        }

        // The reactor reports the exception and calls again.
        for (int attempt = 0; attempt < entries.Length; attempt++)
        {
            Assert.Throws<InvalidOperationException>(() => wheel.Advance(10 + attempt));
        }

        Assert.All(entries, entry => Assert.Single(entry.FiredAt));
    }

    [Fact]
    public void TakingAllOutLeavesNone()
    {
        var wheel = new TimerWheel(0);
        Entry[] entries = [.. Distances.Select(row => (long)row.Data).Select(distance =>
        {
            var entry = new Entry(wheel);
            wheel.Add(entry, distance);
            return entry;
        })];

        Assert.Equal(entries.ToHashSet(), wheel.RemoveAll().Cast<Entry>().ToHashSet());
        Assert.Equal((0, null), (wheel.Count, wheel.NextTick()));
        wheel.Advance(2 * Span);
        Assert.All(entries, entry => Assert.Empty(entry.FiredAt));
    }

    private static int AdvanceAndCompare(TimerWheel wheel, List<Entry> model, long to)
    {
        Entry[] due = [.. model.Where(entry => entry.DueTick <= to)];
        var order = new List<long>();
        Array.ForEach(due, entry => entry.Order = order);
        wheel.Advance(to);

        Assert.Equal(to, wheel.CurrentTick);
        Assert.All(due, entry => Assert.Equal([entry.DueTick], entry.FiredAt));
        Assert.Equal(due.Select(entry => entry.DueTick).Order(), order);
        model.RemoveAll(entry => entry.DueTick <= to);
        Assert.All(model, entry => Assert.Empty(entry.FiredAt));
        return due.Length;
    }

    /// <summary>As often short as long: the exponent is what is spread evenly.</summary>
    private static long RandomDistance(Random random) => 1 + random.NextInt64(1L << random.Next(1, 33));

    private sealed class Entry(TimerWheel wheel, Action? onDue = null) : TimerEntry
    {
        internal List<long> FiredAt { get; } = [];

        internal List<long>? Order { get; set; }

        internal override void OnDue()
        {
            FiredAt.Add(wheel.CurrentTick);
            Order?.Add(wheel.CurrentTick);
            onDue?.Invoke();
        }
    }
}
