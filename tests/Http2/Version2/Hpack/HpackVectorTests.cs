namespace Ioxide.Http2.Tests;

/// <summary>The examples of RFC 7541, appendix C: fields, and the table after each block.</summary>
[Once]
public class HpackVectorTests
{
    private const string Cookie = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";

    private static readonly Field[][] s_requests =
    [
        [new(":method", "GET"), new(":scheme", "http"), new(":path", "/"), new(":authority", "www.example.com")],
        [
            new(":method", "GET"), new(":scheme", "http"), new(":path", "/"), new(":authority", "www.example.com"),
            new("cache-control", "no-cache"),
        ],
        [
            new(":method", "GET"), new(":scheme", "https"), new(":path", "/index.html"), new(":authority", "www.example.com"),
            new("custom-key", "custom-value"),
        ],
    ];

    private static readonly Field[][] s_responses =
    [
        [
            new(":status", "302"), new("cache-control", "private"), new("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
            new("location", "https://www.example.com"),
        ],
        [
            new(":status", "307"), new("cache-control", "private"), new("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
            new("location", "https://www.example.com"),
        ],
        [
            new(":status", "200"), new("cache-control", "private"), new("date", "Mon, 21 Oct 2013 20:13:22 GMT"),
            new("location", "https://www.example.com"), new("content-encoding", "gzip"), new("set-cookie", Cookie),
        ],
    ];

    [Theory]
    [InlineData(10, 5, "0a")]
    [InlineData(1337, 5, "1f9a0a")]
    [InlineData(42, 8, "2a")]
    public void IntegersAreWrittenAndReadAsInTheExamples(int number, int prefixBits, string hex)
    {
        byte[] written = new byte[HpackInteger.MaxBytes];
        int length = HpackInteger.Write(written, prefixBits, number, 0);
        Assert.Equal(hex, Convert.ToHexStringLower(written.AsSpan(0, length)));
        Assert.Equal(length, HpackInteger.Read(written.AsSpan(0, length), prefixBits, out int read));
        Assert.Equal(number, read);
    }

    [Theory]
    [InlineData("400a637573746f6d2d6b65790d637573746f6d2d686561646572", "custom-key", "custom-header", false, 55)]
    [InlineData("040c2f73616d706c652f70617468", ":path", "/sample/path", false, 0)]
    [InlineData("100870617373776f726406736563726574", "password", "secret", true, 0)]
    [InlineData("82", ":method", "GET", false, 0)]
    public void EachKindOfFieldIsRead(string hex, string name, string value, bool isNeverIndexed, int tableBytes)
    {
        HpackDecoder decoder = new(4096, 1024);
        Assert.Equal([new Field(name, value, isNeverIndexed)], FieldList.Decode(decoder, Convert.FromHexString(hex)));
        Assert.Equal(tableBytes, decoder.Table.SizeBytes);
    }

    [Theory]
    [InlineData("828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865",
        "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565")]
    [InlineData("828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf", "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf")]
    public void RequestsShareOneTable(params string[] blocks) => DecodeInTurn(new HpackDecoder(4096, 1024), blocks, s_requests, [57, 110, 164]);

    [Theory]
    [InlineData(
        "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d",
        "4803333037c1c0bf",
        "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31")]
    [InlineData(
        "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3",
        "4883640effc1c0bf",
        "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007")]
    public void ResponsesEvictWhatATableOf256BytesHasNoRoomFor(params string[] blocks)
    {
        HpackDecoder decoder = new(4096, 1024);

        // The examples set the size outside of the blocks: a change to 256.
        Assert.Empty(FieldList.Decode(decoder, [0x3F, 0xE1, 0x01]));
        DecodeInTurn(decoder, blocks, s_responses, [222, 222, 215]);
    }

    private static void DecodeInTurn(HpackDecoder decoder, string[] blocks, Field[][] expected, int[] tableBytes)
    {
        for (int index = 0; index < blocks.Length; index++)
        {
            Assert.Equal(expected[index], FieldList.Decode(decoder, Convert.FromHexString(blocks[index])));
            Assert.Equal(tableBytes[index], decoder.Table.SizeBytes);
        }
    }
}
