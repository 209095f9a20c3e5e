namespace Ioxide.Pg.Tests;

/// <summary>Messages are told apart however the bytes come: at once, one by one, and around a refused encryption.</summary>
public class WireBoundariesTests
{
    private static readonly byte[][] s_toServer =
        [FrontendMessages.SslRequest(), FrontendMessages.Startup("u", "d"), FrontendMessages.Query("select 1"), FrontendMessages.Terminate()];

    private static readonly byte[][] s_toClient = ["N"u8.ToArray(), .. BackendMessages.Welcome(), BackendMessages.ParseComplete()];

    [Theory, Each(1, 2, 7, 100_000)]
    public void FindsTheEndOfEveryMessage(int pieceBytes)
    {
        var boundaries = new WireBoundaries();
        Assert.Equal(s_toServer, Cut(boundaries, Direction.ToServer, s_toServer, pieceBytes));
        Assert.Equal(s_toClient, Cut(boundaries, Direction.ToClient, s_toClient, pieceBytes));
        Assert.False(boundaries.IsOpaque);
    }

    /// <summary>A client may ask for two kinds of encryption, one after the other, and go on in clear text after two refusals.</summary>
    [Theory, Each(1, 100_000)]
    public void EachRefusalAnswersOneRequest(int pieceBytes)
    {
        var boundaries = new WireBoundaries();
        byte[][] toServer = [FrontendMessages.GssRequest(), .. s_toServer];
        byte[][] toClient = ["N"u8.ToArray(), .. s_toClient];
        Assert.Equal(toServer, Cut(boundaries, Direction.ToServer, toServer, pieceBytes));
        Assert.Equal(toClient, Cut(boundaries, Direction.ToClient, toClient, pieceBytes));
        Assert.False(boundaries.IsOpaque);
    }

    [Theory, AllValues]
    public void FollowsNothingBehindAnAgreedEncryption(bool isGss)
    {
        var boundaries = new WireBoundaries();
        boundaries.Advance(Direction.ToServer, isGss ? FrontendMessages.GssRequest() : FrontendMessages.SslRequest(), out bool isEnd);
        Assert.True(isEnd);
        Assert.Equal(1, boundaries.Advance(Direction.ToClient, isGss ? "GZZZZZZZ"u8 : "SZZZZZZZ"u8, out isEnd));
        Assert.True(isEnd && boundaries.IsOpaque);
        Assert.Equal(7, boundaries.Advance(Direction.ToClient, "ZZZZZZZ"u8, out isEnd));
        Assert.False(isEnd);
    }

    [Fact]
    public void FollowsNothingBehindAnImpossibleLength()
    {
        var boundaries = new WireBoundaries();
        Assert.Equal(8, boundaries.Advance(Direction.ToClient, new MessageBuilder().Text("ab").BuildWithLength('D', 3), out bool isEnd));
        Assert.True(boundaries.IsOpaque && !isEnd);
    }

    private static List<byte[]> Cut(WireBoundaries boundaries, Direction direction, byte[][] messages, int pieceBytes)
    {
        var found = new List<byte[]>();
        var message = new List<byte>();
        foreach (byte[] piece in messages.SelectMany(bytes => bytes).Chunk(pieceBytes))
        {
            for (int taken = 0; taken < piece.Length;)
            {
                int count = boundaries.Advance(direction, piece.AsSpan(taken), out bool isEnd);
                message.AddRange(piece.AsSpan(taken, count));
                taken += count;
                if (isEnd)
                {
                    found.Add([.. message]);
                    message.Clear();
                }
            }
        }

        Assert.Empty(message);
        return found;
    }
}
