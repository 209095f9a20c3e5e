namespace Ioxide.BadNetwork;

/// <summary>
/// Every byte comes, and in its order, but in slices of a few bytes and with pauses in the middle of what belongs together: heads, frames, records,
/// messages. Which segments overtake each other is TCP's matter and shows here only as a pause.
/// </summary>
public class SlicedTests
{
    private const int Seed = 20_261_129;
    private const int BodyBytes = 20_000;
    private const int Pauses = 12;

    public static TheoryData<Subject, int> Rows => Extent.Rows(Extent.Subjects, [3, 1, 2, 5, 7], Subject.Http2, Subject.Outbound);

    [Theory, MemberData(nameof(Rows))]
    public Task SlicesAndPausesChangeNothing(Subject subject, int sliceBytes)
        => Beside.OnLoopbackAsync($"slices of {sliceBytes} bytes, pauses", subject, stage => PlayAsync(stage, subject, sliceBytes));

    private static async Task<string> PlayAsync(Stage stage, Subject subject, int sliceBytes)
    {
        await stage.AskAsync("close");
        var random = new Random(Seed + sliceBytes);
        ProxyFault[] faults =
        [
            ProxyFault.SliceAfter(Direction.ToServer, 0, sliceBytes),
            ProxyFault.SliceAfter(Direction.ToClient, 0, sliceBytes),
            .. Enumerable.Range(0, Pauses).Select(
                _ => ProxyFault.DelayAfter((Direction)random.Next(2), random.Next(BodyBytes), random.Next(20, 200).Milliseconds())),
        ];
        if (subject is Subject.Pg or Subject.Outbound)
        {
            (subject == Subject.Pg ? stage.Database : stage.Upstream).SetFaults(faults);
            using var own = new Exchange(stage, subject);
            return stage.AllWhole(await own.DownAsync(1, BodyBytes), await own.UpAsync(2, BodyBytes));
        }

        await using FaultProxy proxy = FaultProxy.Start(stage.EndPointOf(subject), faults);
        using var exchange = new Exchange(stage, subject, proxy.EndPoint);
        return stage.AllWhole(await exchange.DownAsync(1, BodyBytes), await exchange.UpAsync(2, BodyBytes));
    }
}
