namespace Ioxide.Http2.Tests;

/// <summary>What no block may hold, and the bounds of what it may make the decoder do.</summary>
public class HpackDecoderTests
{
    private const int MaxString = 100;

    [Theory]
    [InlineData("80", nameof(HpackError.UnknownIndex), "index 0")]
    [InlineData("be", nameof(HpackError.UnknownIndex), "the first index behind an empty table")]
    [InlineData("7e00", nameof(HpackError.UnknownIndex), "a name behind an empty table")]
    [InlineData("ffffffffff07", nameof(HpackError.IntegerTooLarge), "2^31 + 126")]
    [InlineData("ff8080808000", nameof(HpackError.UnknownIndex), "six bytes with zeros in front")]
    [InlineData("ff808080808000", nameof(HpackError.IntegerTooLarge), "seven bytes with zeros in front")]
    [InlineData("8220", nameof(HpackError.LateSizeUpdate), "a change of size behind a field")]
    [InlineData("3fe21f", nameof(HpackError.SizeTooLarge), "4,097 bytes of table")]
    [InlineData("000181ff0161", nameof(HpackError.Truncated), "a name of one byte whose value is missing a byte")]
    [InlineData("0081ff0161", nameof(HpackError.InvalidHuffman), "a name of padding alone")]
    [InlineData("00016165", nameof(HpackError.StringTooLong), "a value of 101 bytes")]
    [InlineData("0065", nameof(HpackError.StringTooLong), "a name of 101 bytes")]
    [InlineData("000161fff102", nameof(HpackError.StringTooLong), "a coded value of 496 bytes")]
    public void RefusesWhatIsNoBlock(string hex, string error, string why)
        => Assert.True(Decode(new HpackDecoder(4096, MaxString), hex) == Enum.Parse<HpackError>(error), why);

    [Fact]
    public void ABlockThatIsCutAtAnyByteIsTruncatedOrEndsBetweenTwoFields()
    {
        byte[] block = Convert.FromHexString("3fe11f828684418cf1e3c2e5f23a6ba0ab90f4ff400a637573746f6d2d6b65790d637573746f6d2d686561646572");
        int[] borders = [3, 4, 5, 6, 20, block.Length];
        for (int length = 0; length <= block.Length; length++)
        {
            FieldList list = new();
            HpackError error = new HpackDecoder(4096, MaxString).Decode(block.AsSpan(0, length), list);
            Assert.Equal(length == 0 || borders.Contains(length) ? HpackError.None : HpackError.Truncated, error);
            Assert.Equal(Math.Max(0, borders.Count(border => border <= length) - 1), list.Fields.Count);
        }
    }

    [Fact]
    public void AValueOfTheLargestAllowedLengthIsReadWhicheverWayItIsWritten()
    {
        string value = new('\u0001', MaxString);
        byte[] plain = System.Text.Encoding.Latin1.GetBytes(value);
        byte[] coded = new byte[Huffman.EncodedLength(plain)];
        Huffman.Encode(plain, coded);
        Assert.True(coded.Length > 2 * MaxString);
        byte[] length = new byte[HpackInteger.MaxBytes];
        int lengthBytes = HpackInteger.Write(length, 7, coded.Length, 0x80);
        HpackDecoder decoder = new(4096, MaxString);
        Assert.Equal([new Field("a", value)], FieldList.Decode(decoder, [0, 1, (byte)'a', MaxString, .. plain]));
        Assert.Equal([new Field("a", value)], FieldList.Decode(decoder, [0, 1, (byte)'a', .. length[..lengthBytes], .. coded]));
    }

    [Fact]
    public void ASmallerLimitIsForSizesThatTheClientAnnounces()
    {
        HpackDecoder decoder = new(100, MaxString);
        Assert.Single(FieldList.Decode(decoder, Convert.FromHexString("40016101")[..3].Concat((byte[])[1, 98]).ToArray()));
        decoder.Allow(100);
        Assert.Equal(HpackError.None, Decode(decoder, "82"));
        Assert.Equal([new Field("a", "b")], FieldList.Decode(decoder, [0xBE]));

        decoder = new HpackDecoder(100, MaxString);
        decoder.Allow(100);
        Assert.Equal(HpackError.SizeTooLarge, Decode(decoder, "3f46"));

        decoder = new HpackDecoder(100, MaxString);
        decoder.Allow(100);
        Assert.Equal(HpackError.None, Decode(decoder, "3f45" + "82"));
        Assert.Equal(100, decoder.Table.MaxSizeBytes);
        Assert.Equal(HpackError.None, Decode(decoder, "82"));
    }

    [Fact]
    public void SizeMayChangeTwiceAtTheStartAndTheSmallerOneEvicts()
    {
        HpackDecoder decoder = new(4096, MaxString);
        Assert.Equal(HpackError.None, Decode(decoder, "4001610162"));
        Assert.Equal(1, decoder.Table.Count);
        Assert.Equal(HpackError.None, Decode(decoder, "203fe11f82"));
        Assert.Equal((0, 4096), (decoder.Table.Count, decoder.Table.MaxSizeBytes));
    }

    [Fact]
    public void AFieldLargerThanTheTableEmptiesItAndIsStillGiven()
    {
        HpackDecoder decoder = new(4096, MaxString);
        Assert.Empty(FieldList.Decode(decoder, [0x3F, 0x0B]));
        Assert.Equal(42, decoder.Table.MaxSizeBytes);
        Assert.Single(FieldList.Decode(decoder, Convert.FromHexString("4001610162")));
        Assert.Equal(1, decoder.Table.Count);
        Assert.Equal([new Field("a", "0123456789")], FieldList.Decode(decoder, [0x40, 1, (byte)'a', 10, .. "0123456789"u8]));
        Assert.Equal(0, decoder.Table.Count);
    }

    [Fact]
    public void ANameMayBeOfTheFieldThatItsAdditionEvicts()
    {
        HpackDecoder decoder = new(4096, MaxString);
        Assert.Empty(FieldList.Decode(decoder, [0x3F, 0x09]));
        Assert.Single(FieldList.Decode(decoder, [0x40, 3, .. "abc"u8, 1, (byte)'x']));
        Assert.Equal([new Field("abc", "yz")], FieldList.Decode(decoder, [0x7E, 2, .. "yz"u8]));
        Assert.Equal([new Field("abc", "yz")], FieldList.Decode(decoder, [0xBE]));
    }

    private static HpackError Decode(HpackDecoder decoder, string hex) => decoder.Decode(Convert.FromHexString(hex), new FieldList());
}
