namespace Ioxide.Tests;

/// <summary>A completion finds the target that its operation was begun for, and never a later one in the same slot.</summary>
public class OperationTableTests(ITestOutputHelper output)
{
    [Fact]
    public void AnIdentifierKeepsItsParts()
    {
        int seed = Environment.TickCount;
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int round = 0; round < 10_000; round++)
        {
            var kind = (OperationKind)random.Next(256);
            int slot = random.Next(OperationId.MaxSlots);
            uint generation = (uint)random.NextInt64(1L << 32);
            var id = new OperationId(new OperationId(kind, slot, generation).UserData);
            Assert.Equal((kind, slot, generation), (id.Kind, id.SlotIndex, id.Generation));
        }

        var largest = new OperationId((OperationKind)255, OperationId.MaxSlots - 1, uint.MaxValue);
        Assert.Equal(ulong.MaxValue, largest.UserData);
    }

    [Fact]
    public void ASlotThatIsUsedAgainHasAnotherGeneration()
    {
        var table = new OperationTable();
        int slot = table.Add(new Target());
        OperationId first = table.NameOf(OperationKind.Send, slot);
        table.Remove(slot);
        var second = new Target();

        Assert.Equal(slot, table.Add(second));
        OperationId id = table.Begin(OperationKind.Send, slot);
        Assert.Equal(first.SlotIndex, id.SlotIndex);
        Assert.Equal(first.Generation + 1, id.Generation);
        Assert.NotEqual(first.UserData, id.UserData);
        Assert.Same(second, table.End(id, flags: 0));
    }

    [Fact]
    public void CountsUntilTheLastCompletion()
    {
        var table = new OperationTable();
        var target = new Target();
        int slot = table.Add(target);
        OperationId receive = table.Begin(OperationKind.Receive, slot);
        OperationId send = table.Begin(OperationKind.Send, slot);
        Assert.Equal((2, 2), (table.InFlight, table.InFlightOf(slot)));

        Assert.Same(target, table.End(receive, CqeFlags.More));
        Assert.Equal(2, table.InFlight);
        Assert.Same(target, table.End(receive, flags: 0));
        Assert.Same(target, table.End(send, flags: 0));
        Assert.Equal((0, 0), (table.InFlight, table.InFlightOf(slot)));
        table.Remove(slot);
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void GrowsAndKeepsEveryTarget()
    {
        var table = new OperationTable();
        Target[] targets = [.. Enumerable.Range(0, 5000).Select(_ => new Target())];
        int[] slots = [.. targets.Select(table.Add)];
        Assert.Equal(Enumerable.Range(0, 5000), slots);
        Assert.Equal(targets, table.Targets);
        foreach ((Target target, int slot) in targets.Zip(slots))
        {
            Assert.Same(target, table.End(table.Begin(OperationKind.Nop, slot), flags: 0));
            table.Remove(slot);
        }

        Assert.Equal((0, 0), (table.Count, table.InFlight));
    }

    private sealed class Target : ICompletionTarget
    {
        public void Complete(OperationKind kind, int result, uint flags)
        {
        }

        public void ReactorEnded(Exception reason)
        {
        }
    }
}
