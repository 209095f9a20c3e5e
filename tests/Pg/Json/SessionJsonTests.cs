using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>JSON of rows does not follow what the session says of the look of text.</summary>
public class SessionJsonTests() : SourceTests(hasOneConnection: false)
{
    private static readonly PgStatement s_moments = PgStatement.Create(
        """
        select date '2024-02-03' as d, time '04:05:06' as t, timetz '04:05:06+02' as tz, timestamp '2024-02-03 04:05:06.5' as ts,
            timestamptz '2024-02-03 04:05:06+00' as tstz, array[timestamptz '2024-02-03 04:05:06+00'] as tstzs,
            interval '1 day 02:03:04' as i, '\xff00'::bytea as b, 0.1::float8 as f
        """u8);

    [Theory]
    [InlineData("ISO, MDY", "UTC", "postgres", "1", "hex")]
    [InlineData("German, DMY", "Asia/Tokyo", "iso_8601", "-15", "escape")]
    [InlineData("SQL, DMY", "America/New_York", "sql_standard", "0", "hex")]
    [InlineData("Postgres, YMD", "Asia/Kolkata", "postgres_verbose", "3", "escape")]
    public async Task MomentsAreIso8601WhateverTheSessionSays(string dateStyle, string timeZone, string intervalStyle, string floatDigits, string byteaOutput)
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync(
            $"set datestyle = '{dateStyle.Replace(", ", "','", StringComparison.Ordinal)}'; set timezone = '{timeZone}'; set intervalstyle = '{intervalStyle}'; "
            + $"set extra_float_digits = {floatDigits}; set bytea_output = '{byteaOutput}'");
        var writer = new ArrayBufferWriter<byte>();
        await session.Query(s_moments).WriteJsonAsync(writer);
        var stream = new MemoryStream();
        PipeWriter pipe = PipeWriter.Create(stream);
        await session.Query(s_moments).StreamJsonAsync(pipe);
        await pipe.CompleteAsync();
        const string Expected =
            """
            [{"d":"2024-02-03","t":"04:05:06","tz":"04:05:06+02","ts":"2024-02-03T04:05:06.5","tstz":"2024-02-03T04:05:06Z","tstzs":["2024-02-03T04:05:06Z"],"i":"1 day 02:03:04","b":"/wA=","f":0.1}]
            """;
        Assert.Equal(Expected, Encoding.UTF8.GetString(writer.WrittenSpan));
        Assert.Equal(Expected, Encoding.UTF8.GetString(stream.ToArray()));
    }
}
