namespace Ioxide.BadNetwork;

/// <summary>The network loses packets, of both directions and of every kind: handshakes, data, acknowledgements and ends of streams.</summary>
public class LossTests
{
    private const int Seed = 20_261_129;
    private const int SmallCount = 20;
    private const int MostSmallBytes = 3_000;

    public static TheoryData<Subject, int> Rows => Extent.Rows(Extent.Subjects, [10, 1], Subject.Tls, Subject.Pg);

    [Theory, MemberData(nameof(Rows))]
    public Task EverythingArrivesWhole(Subject subject, int percent) => Beside.OnNetworkAsync($"loss of {percent} %", subject, async stage =>
    {
        await stage.Network.RuleAsync($"numgen random mod 100 < {percent} counter drop");
        using var exchange = new Exchange(stage, subject);
        var random = new Random(Seed);
        var answers = new HashSet<string>();
        for (int key = 0; key < SmallCount; key++)
        {
            int lengthBytes = random.Next(MostSmallBytes);
            answers.Add(await (key % 2 == 0 ? exchange.DownAsync(key, lengthBytes) : exchange.UpAsync(key, lengthBytes)));
        }

        answers.UnionWith(await Task.WhenAll(
            exchange.DownAsync(SmallCount, Extent.LargeBytes), exchange.UpAsync(SmallCount + 1, Extent.LargeBytes)));
        Assert.NotEqual(0, await stage.Network.CountedAsync());
        return stage.AllWhole(answers);
    });
}
