namespace Ioxide.BadNetwork;

/// <summary>
/// A link of the path becomes narrower than it was when connections were made. The router says so, or it says nothing (a black hole).
/// </summary>
public class PacketSizeTests
{
    /// <summary>What the link forwards, and whether the router says so.</summary>
    public enum Path
    {
        Narrow1280,
        Narrow576,
        Silent1280,
        Silent576,
    }

    public static TheoryData<Subject, Path> Rows => Extent.Rows(Extent.Subjects, Enum.GetValues<Path>(), Subject.Http1);

    [Theory, MemberData(nameof(Rows))]
    public Task ConnectionsGoOnWithSmallerPackets(Subject subject, Path path) => Beside.OnNetworkAsync(NameOf(path), subject, async stage =>
    {
        using var exchange = new Exchange(stage, subject);
        stage.AllWhole(await exchange.DownAsync(1, Extent.LargeBytes), await exchange.UpAsync(2, Extent.LargeBytes));
        bool isSilent = path is Path.Silent1280 or Path.Silent576;
        if (isSilent)
        {
            await stage.Network.HideSizesAsync();
        }

        await stage.Network.LimitPacketsAsync(path is Path.Narrow576 or Path.Silent576 ? 576 : 1280);
        try
        {
            string after = stage.AllWhole(await exchange.DownAsync(3, Extent.LargeBytes), await exchange.UpAsync(4, Extent.LargeBytes));
            Assert.Equal(isSilent, await stage.Network.CountedAsync() > 0);
            return after;
        }
        finally
        {
            await stage.Network.LimitPacketsAsync(1500);
        }
    });

    private static string NameOf(Path path) => path switch
    {
        Path.Narrow1280 => "MTU 1280 from one moment on",
        Path.Narrow576 => "MTU 576 from one moment on",
        Path.Silent1280 => "MTU 1280, the router says nothing",
        _ => "MTU 576, the router says nothing",
    };
}
