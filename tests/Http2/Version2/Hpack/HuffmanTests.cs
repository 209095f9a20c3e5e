using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>The Huffman code of RFC 7541, by its vectors, by every pair of bytes and by every malformed end.</summary>
public class HuffmanTests
{
    [Theory]
    [InlineData("www.example.com", "f1e3c2e5f23a6ba0ab90f4ff")]
    [InlineData("no-cache", "a8eb10649cbf")]
    [InlineData("custom-key", "25a849e95ba97d7f")]
    [InlineData("custom-value", "25a849e95bb8e8b4bf")]
    [InlineData("302", "6402")]
    [InlineData("private", "aec3771a4b")]
    [InlineData("Mon, 21 Oct 2013 20:13:21 GMT", "d07abe941054d444a8200595040b8166e082a62d1bff")]
    [InlineData("https://www.example.com", "9d29ad171863c78f0b97c8e9ae82ae43d3")]
    [InlineData("gzip", "9bd9ab")]
    [InlineData("foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
        "94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007")]
    [InlineData("", "")]
    public void ReadsAndWritesTheVectorsOfTheStandard(string text, string hex)
    {
        byte[] plain = Encoding.ASCII.GetBytes(text);
        byte[] coded = Convert.FromHexString(hex);
        Assert.Equal(hex, Convert.ToHexStringLower(Encode(plain)));
        Assert.Equal(HuffmanResult.Done, Decode(coded, plain.Length, out byte[] decoded));
        Assert.Equal(plain, decoded);
    }

    [Fact]
    public void EachPairOfBytesComesBack()
    {
        for (int pair = 0; pair <= 0xFFFF; pair++)
        {
            byte[] plain = [(byte)(pair >> 8), (byte)pair];
            byte[] coded = Encode(plain);
            Assert.Equal(HuffmanResult.Done, Decode(coded, Huffman.MaxDecodedLength(coded.Length), out byte[] decoded));
            Assert.Equal(plain, decoded);
        }
    }

    [Theory]
    [InlineData("ff", "a byte of padding")]
    [InlineData("1fff", "a byte of padding behind a character")]
    [InlineData("18", "padding that is not all ones")]
    [InlineData("3fffffff", "the end of string, cut")]
    [InlineData("fffffffc", "the whole end of string")]
    [InlineData("1ffffffff8", "the end of string behind a character")]
    public void RefusesWhatIsNoString(string hex, string why)
        => Assert.True(Decode(Convert.FromHexString(hex), 64, out _) == HuffmanResult.Invalid, why);

    [Fact]
    public void AStringThatIsLongerThanItsRoomIsToldFromAWrongOne()
    {
        byte[] coded = Encode("www.example.com"u8);
        Assert.Equal(HuffmanResult.TooLong, Decode(coded, 14, out _));
        Assert.Equal(HuffmanResult.Done, Decode(coded, 15, out _));
    }

    [Fact]
    public void AScratchTellsStringsApartHoweverAlikeAndLongTheyAre()
    {
        var scratch = new HuffmanScratch();
        string[] texts = ["/index.html", "/index.html", "/index.htmk", "/index.html", "/index.htm", "", "", new('a', 2000), new('a', 2000), new('b', 65), new('b', 65), "/x"];
        foreach (string text in texts)
        {
            byte[] coded = Encode(Encoding.ASCII.GetBytes(text));
            Assert.Equal(HuffmanResult.Done, scratch.Decode(coded, 4096, out ReadOnlySpan<byte> decoded));
            Assert.Equal(text, Encoding.ASCII.GetString(decoded));
        }
    }

    [Fact]
    public void AScratchForgetsAStringThatAWrongOneHasOverwritten()
    {
        var scratch = new HuffmanScratch();
        byte[] coded = Encode("/index.html"u8);
        Assert.Equal(HuffmanResult.Done, scratch.Decode(coded, 64, out _));
        Assert.Equal(HuffmanResult.Invalid, scratch.Decode([.. Encode("/other.html"u8), 0xFF], 64, out ReadOnlySpan<byte> wrong));
        Assert.True(wrong.IsEmpty);
        Assert.Equal(HuffmanResult.TooLong, scratch.Decode(Encode("/other.html"u8), 4, out wrong));
        Assert.True(wrong.IsEmpty);
        Assert.Equal(HuffmanResult.Done, scratch.Decode(coded, 64, out ReadOnlySpan<byte> right));
        Assert.Equal("/index.html"u8, right);
    }

    private static byte[] Encode(ReadOnlySpan<byte> plain)
    {
        byte[] coded = new byte[Huffman.EncodedLength(plain)];
        Huffman.Encode(plain, coded);
        return coded;
    }

    private static HuffmanResult Decode(byte[] coded, int room, out byte[] decoded)
    {
        byte[] destination = new byte[room];
        HuffmanResult result = Huffman.Decode(coded, destination, out int written);
        decoded = destination[..written];
        return result;
    }
}
