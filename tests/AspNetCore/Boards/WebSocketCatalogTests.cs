using System.IO.Compression;

namespace Ioxide.AspNetCore.Tests;

/// <summary>What the catalogue of WebSockets sees by its own tools: how far a server's compression reaches back, and what it agreed.</summary>
[Once]
public class WebSocketCatalogTests
{
    private const string Offer = "permessage-deflate; client_max_window_bits; server_max_window_bits=10; server_no_context_takeover";
    private const string Answer = "permessage-deflate; server_max_window_bits=9; server_no_context_takeover";
    private const int PartBytes = 4096;

    [Fact]
    public void HasTheNumbersOfTheSuite() => Assert.Equal(517, WebSocketCatalog.Cases.Count);

    [Theory]
    [InlineData(CompressionLevel.Optimal)]
    [InlineData(CompressionLevel.Fastest)]
    [InlineData(CompressionLevel.SmallestSize)]
    [InlineData(CompressionLevel.NoCompression)]
    public void InflatesWhatTheFrameworkDeflates(CompressionLevel level)
    {
        byte[] message = Payload.Of(200_000);
        Payload.AssertSame(message, new Inflater(1 << 15).Inflate(Deflate(message, level)));
    }

    [Fact]
    public void ACopyFromBeyondTheWindowIsSeen()
    {
        byte[] part = Payload.Of(PartBytes);
        byte[] deflated = Deflate([.. part, .. part], CompressionLevel.Optimal);
        Assert.Equal(2 * PartBytes, new Inflater(2 * PartBytes).Inflate(deflated).Length);
        Assert.Throws<InvalidDataException>(() => new Inflater(512).Inflate(deflated));
    }

    [Fact]
    public void ACopyFromAMessageThatIsForgottenIsSeen()
    {
        byte[] message = Payload.Of(PartBytes);
        byte[] both = Deflate([.. message, .. message], CompressionLevel.Optimal);
        byte[] first = Deflate(message, CompressionLevel.Optimal);
        Inflater inflater = new(1 << 15);
        inflater.Inflate(first);
        inflater.Forget();
        Assert.Equal(2 * PartBytes, inflater.Inflate(both).Length);

        // A copy of the first message and nothing else.
        MemoryStream output = new();
        using DeflateStream stream = new(output, CompressionLevel.Optimal);
        stream.Write(message);
        stream.Flush();
        output.SetLength(0);
        stream.Write(message);
        stream.Flush();
        inflater.Forget();
        Assert.Throws<InvalidDataException>(() => inflater.Inflate(output.ToArray()));
        inflater.Inflate(first);
        Payload.AssertSame(message, inflater.Inflate(output.ToArray()));
    }

    [Fact]
    public void ReadsWhatWasAgreed() => Assert.Equal(new DeflateAgreement(true, 9, false, 15), DeflateAgreement.Read([Offer], Answer));

    [Theory]
    [InlineData("permessage-deflate")]
    [InlineData("permessage-deflate; server_max_window_bits=9")]
    [InlineData("permessage-deflate; server_max_window_bits=11; server_no_context_takeover")]
    [InlineData("permessage-deflate; server_max_window_bits=7; server_no_context_takeover")]
    [InlineData($"{Answer}; client_max_window_bits")]
    [InlineData($"{Answer}; server_no_context_takeover")]
    [InlineData($"{Answer}; color=blue")]
    [InlineData("permessage-shrink")]
    public void AnAnswerToNoOfferIsSeen(string answer) => Assert.Throws<InvalidDataException>(() => DeflateAgreement.Read([Offer], answer));

    private static byte[] Deflate(byte[] message, CompressionLevel level)
    {
        using MemoryStream output = new();
        using (DeflateStream stream = new(output, level, leaveOpen: true))
        {
            stream.Write(message);
        }

        return output.ToArray();
    }
}
